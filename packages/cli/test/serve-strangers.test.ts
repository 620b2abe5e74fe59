/**
 * A client that writes anything: whatever a readable frame holds, it is answered once, never with E-INTERNAL,
 * and the service goes on. Random frames have a seed that is new in every run and printed; `SEED=…
 * FRAMES=… npx vitest run --project cli packages/cli/test/serve-strangers` repeats and lengthens a run.
 */
import { describe, expect, test } from "vitest";
import { ArrayList, type Frame, FrameReader } from "../src/serve/frames.js";
import { Server } from "../src/serve/server.js";

const { SEED, FRAMES = "600" } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`serve-strangers: SEED=${seed}`);

type Header = Readonly<Record<string, unknown>>;

/** A frame of these bytes of JSON, and a body of eight numbers. */
function frameOf(json: string): Buffer {
  const head = Buffer.from(json);
  const body = Buffer.from(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer);
  const prefix = Buffer.alloc(16);
  prefix.write("NDVM");
  prefix.writeUInt32LE(head.length, 4);
  prefix.writeBigUInt64LE(BigInt(body.length), 8);
  return Buffer.concat([prefix, head, body]);
}

/** A service with one program, (* a a). */
async function service() {
  const frames: Frame[] = [];
  let wake = (): void => {};
  const reader = new FrameReader((frame) => {
    if (!("result" in frame.header || "error" in frame.header)) return;
    frames.push(frame);
    wake();
  });
  const server = new Server((parts) => {
    for (const part of parts) reader.push(part);
  });
  const answer = async (): Promise<Header> => {
    while (frames.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return (frames.shift() as Frame).header;
  };
  /** Sends a frame, and then the end of the call, so that none takes long. */
  const ask = async (json: string, isEnded = false): Promise<Header> => {
    expect(server.push(frameOf(json))).toBe(true);
    if (isEnded)
      for (const part of new ArrayList().frame({ call: "cancel", of: 1 })) server.push(part);
    return answer();
  };
  await ask('{"id":0,"call":"load","source":"(* a a)"}');
  const isAlive = async (): Promise<void> => {
    const { id, result } = await ask(
      '{"id":"alive","call":"evaluate","program":1,"inputs":{"a":3}}',
    );
    expect([id, (result as Header)["shape"]]).toEqual(["alive", []]);
    expect(frames).toEqual([]);
  };
  return { ask, isAlive, end: () => server.end() };
}

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const OBJECT = '{"toString":1,"valueOf":1}';
const data = '{"x":[1,2,3,4,5],"y":[1,2,3,4,5]}';
const array = (shape: string) => `"arrays":[{"type":"f64","shape":${shape},"offset":0}]`;
const input = (kind: string) => `"inputs":{"a":{"$array":0,"kind":"${kind}"}}`;
const search = (more: string) =>
  `{"id":1,"call":"search","options":{"data":${data},"target":"y","workers":0,${more}}}`;
const fitMany = (more: string) =>
  `{"id":1,"call":"fitMany","sources":["(* a x)"],"options":{"data":${data},"target":"y",${more}}}`;
const figures = (more: string) =>
  `{"id":1,"call":"searchFigures","target":"y","inputs":["x"],"data":{"x":{"$array":0,"kind":"lanes"},"y":{"$array":0,"kind":"lanes"}},${array("[8]")},${more}}`;

describe("ended the service, or was a mistake of ours:", () => {
  test.each([
    ["E-PROTOCOL", `{"id":${deep(20_000)},"call":"nothing"}`],
    ["E-PROTOCOL", `{"id":${deep(400)},"call":"nothing"}`],
    ["E-PROTOCOL", `{"id":1,"call":${deep(20_000)}}`],
    ["E-PROTOCOL", `{"id":1,"call":"load","source":${deep(100_000)}}`],
    ["E-PROTOCOL", `{"id":1,"broken":${OBJECT}}`],
    ["E-PROTOCOL", `{"id":1,"call":${OBJECT}}`],
    ["E-PROTOCOL", `{"id":1e999,"call":"load","source":"1"}`],
    ["E-PROTOCOL", `{"id":1,"call":"evaluate","program":${OBJECT}}`],
    ["E-PROTOCOL", `{"id":1,"call":"fitFigures","fit":${OBJECT}}`],
    ["E-PROTOCOL", `{"id":1,"call":"evaluate","program":1,"inputs":{"a":{"$array":${OBJECT}}}}`],
    ["E-INPUT", `{"id":1,"call":"evaluate","program":1,"inputs":{"a":{"int":${OBJECT}}}}`],
    [
      "E-PROTOCOL",
      `{"id":1,"call":"evaluate","program":1,"arrays":[{"type":${OBJECT},"shape":[],"offset":0}]}`,
    ],
    ["E-OPTION", `{"id":1,"call":"load","source":"(car 1 2)","load":{"file":${OBJECT}}}`],
    ["E-OPTION", '{"id":1,"call":"load","source":"1","machine":5}'],
    [
      "E-PROTOCOL",
      `{"id":1,"call":"export","source":"a","format":"math","params":{"a":${OBJECT}}}`,
    ],
    [
      "E-PROTOCOL",
      `{"id":1,"call":"evaluate","program":1,${array("[9007199254740991,0]")},${input("vector")}}`,
    ],
    [
      "E-INPUT",
      `{"id":1,"call":"evaluate","program":1,${array("[9007199254740991,0]")},${input("matrix")}}`,
    ],
    [
      "E-PROTOCOL",
      `{"id":1,"call":"evaluate","program":1,${array("[9007199254740991,9007199254740991,1e300,0]")},${input("matrix")}}`,
    ],
    ["E-OPTION", '{"id":1,"call":"gradient","program":1,"inputs":{"a":1},"options":{"seed":"x"}}'],
    [
      "E-OPTION",
      '{"id":1,"call":"gradient","program":1,"inputs":{"a":1},"options":{"seed":["x"]}}',
    ],
    ["E-OPTION", figures('"front":5')],
    ["E-PROTOCOL", '{"id":1,"call":"searchFigures","target":"y","inputs":["x"]}'],
    ["E-PROTOCOL", figures('"front":[{"source":"x"}]')],
    ["E-PROTOCOL", figures('"front":[],"chosen":{"source":"x","params":{}}')],
    ["E-PROTOCOL", '{"id":1,"call":"searchFigures","target":"z","inputs":["x"],"front":[]}'],
    ["E-OPTION", fitMany('"restarts":1e9')],
    ["E-OPTION", fitMany('"loss":{}')],
    ["E-OPTION", fitMany('"onProgress":5')],
    ["E-OPTION", fitMany(`"seed":${OBJECT}`)],
    ["E-OPTION", search('"proposers":[5]')],
    ["E-OPTION", search('"evolve":{"seeds":5}')],
    ["E-OPTION", search('"operators":5')],
    ["E-OPTION", search('"budget":5')],
    ["E-OPTION", search('"complexitymax":5')],
    ["E-OPTION", search('"budget":{"candidate":5}')],
    ["E-OPTION", search('"evolve":{"islandsize":5}')],
    ["E-OPTION", search('"recipe":{"optimizer":"lm"}')],
    ["E-OPTION", search(`"limits":{"x":${OBJECT}}`)],
  ])("%s %#", async (code, json) => {
    const { ask, isAlive, end } = await service();
    const { error } = await ask(json);
    expect((error as Header)["code"], `${json.slice(0, 200)}: ${JSON.stringify(error)}`).toBe(code);
    await isAlive();
    await end();
  });
});

test("options had no words for infinity, which the library takes", async () => {
  const { ask, end } = await service();
  const infinity = '{"number":"Infinity"}';
  const columns = data.replace("4,5]}", "4,6]}");
  for (const json of [
    `{"id":1,"call":"evaluate","program":1,"inputs":{"a":3},"options":{"timeMax":${infinity}}}`,
    fitMany(`"timeMax":${infinity},"params":{"a":{"start":2,"bounds":[0,${infinity}]}}`),
    search(`"budget":{"seconds":${infinity},"candidates":20}`).replace(data, columns),
  ])
    expect(await ask(json)).toMatchObject({ id: 1, result: {} });
  const refused = await ask(fitMany(`"level":${infinity}`));
  expect(refused).toMatchObject({
    result: { results: [{ error: { message: "the option level is Infinity" } }] },
  });
  await end();
});

/** mulberry32 */
function randomFrom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const NASTY: readonly unknown[] = [
  ...[null, true, false, "", "x", "a", "y", "__proto__", "constructor", "toString", "(* a x)"],
  ...[0, -1, 1, 5, 0.5, 1e9, 1e300, 2 ** 53 - 1, -(2 ** 31), 2 ** 32, 1e-300],
  ...[[], [[]], [null], [1, "x"], ["x", {}], Array(50).fill(1)],
  ...[
    {},
    { toString: 1, valueOf: 1 },
    { length: 1e9 },
    { number: "NaN" },
    { number: "Infinity" },
    { number: "-Infinity" },
    { number: {} },
    { int: 5 },
    { int: { toString: 1, valueOf: 1 } },
  ],
  ...[
    { $array: 0 },
    { $array: 1 },
    { $array: {} },
    { $array: 0, kind: "vector" },
    { kind: "lanes" },
  ],
  ...[{ __proto__: null, constructor: { name: 5 } }, JSON.parse(deep(300))],
];

const NAMES = ["", "0", "toString", "constructor", "number", "int", "$array", "kind", "length"];

const member = {
  ...{
    id: 1,
    visit: 1,
    source: "(* a x)",
    params: { a: 2 },
    intervals: { a: [1, 2] },
    complexity: 2,
  },
  ...{
    r2: 0.9,
    trainR2: 0.9,
    loss: 3,
    bic: 1,
    score: 0.2,
    length: 5,
    simple: ["a"],
    undetermined: [],
  },
  parts: { data: 1, constants: 2, symbols: 3, gaps: 0 },
};
const lanes = { $array: 0, kind: "lanes" };
const arrays = [
  { type: "f64", shape: [8], offset: 0 },
  { type: "f64", shape: [2, 4], offset: 0 },
];
const fitOptions = {
  ...{
    data: { x: lanes, y: lanes },
    target: "y",
    loss: "squares",
    restarts: 2,
    seed: 1,
    steps: 20,
  },
  params: { a: { start: 1, range: [0, 1], bounds: [0, null], scale: "linear" } },
  ...{
    weights: lanes,
    groups: undefined,
    optimiser: "lm",
    level: 0.9,
    together: 2,
    stepsMax: 1000,
  },
  ...{ tolerances: { gradient: 1e-9 }, adam: { rate: 0.1 }, isProgressWanted: true, huberWidth: 1 },
};
const inputs = { a: { $array: 1, kind: "vector" } };
const VALID: readonly Header[] = [
  {
    call: "load",
    source: "(* a a)",
    machine: { precision: "f64" },
    load: { inputs: ["a"], file: "f" },
  },
  {
    call: "evaluate",
    program: 1,
    inputs,
    arrays,
    options: { stepsMax: 1000, lanes: 1, stats: true },
  },
  {
    call: "gradient",
    program: 1,
    inputs,
    arrays,
    options: { wrt: ["a"], seed: [1, 1, 1, 1], reduce: true },
  },
  { call: "gradient", program: 1, inputs: { a: 3 }, options: { seed: 2, chunk: 8, replay: true } },
  { call: "jacobian", program: 1, inputs: { a: { number: "NaN" } }, options: { wrt: ["a"] } },
  { call: "fit", program: 2, arrays, options: fitOptions },
  { call: "fitMany", sources: ["(* a x)", "(+ a x)"], load: {}, arrays, options: fitOptions },
  { call: "fitFigures", fit: 3 },
  {
    ...{ call: "searchFigures", target: "y", inputs: ["x"], domain: "ieee", arrays },
    ...{ data: { x: lanes, y: lanes }, front: [member], chosen: member },
  },
  {
    ...{
      call: "export",
      source: "(* a x)",
      format: "math",
      params: { a: 1 },
      load: { inputs: ["x"] },
    },
    options: { name: "f", digits: 3, isSymbolic: false, constants: "define", group: "g" },
  },
  {
    call: "search",
    arrays,
    options: {
      ...{
        data: { x: lanes, y: lanes },
        target: "y",
        inputs: ["x"],
        workers: 0,
        seed: 1,
        epoch: 4,
      },
      ...{ budget: { candidates: 4, seconds: 1 }, evolve: { seeds: ["(* a x)"], draws: 4 } },
      ...{ operators: ["+", "*"], limits: { fitSteps: 100 }, holdOut: 0.25, slots: 1, lag: 1 },
      recipe: { optimiser: "lm", startDeviation: 1, rungs: [{ restarts: 1, steps: 2, share: 1 }] },
    },
  },
];

type Slot = readonly [holder: Record<string, unknown>, key: string];

/** Every place of a value where another may stand. */
function slotsOf(value: unknown, found: Slot[] = []): Slot[] {
  if (typeof value !== "object" || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Record<string, unknown>, key]);
    slotsOf((value as Record<string, unknown>)[key], found);
  }
  return found;
}

/** One of the valid calls with some places changed, taken out or added. */
function drawn(random: (below: number) => number): string {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const header = JSON.parse(JSON.stringify({ id: 1, ...pick(VALID) })) as Record<string, unknown>;
  for (let change = random(3); change >= 0; change--) {
    // What is inside is reached if what is outside is sound.
    const { arrays: _arrays, id: _id, call: _call, ...inner } = header;
    const slots = slotsOf(random(6) === 0 ? header : { inner }).slice(1);
    const [holder, key] = slots.length === 0 ? ([header, "more"] as const) : pick(slots);
    const kind = random(8);
    // Searches are not to start threads, and every call is to end when it is told to.
    if (key === "workers" || (key === "id" && kind === 0)) continue;
    if (kind === 0) delete holder[key];
    else
      holder[kind === 1 && !Array.isArray(holder) ? pick(NAMES) : key] = structuredClone(
        pick(NASTY),
      );
  }
  return JSON.stringify(header);
}

test(`random frames are answered, none as a mistake of ours, SEED=${seed}`, async () => {
  const random = randomFrom(seed);
  const { ask, isAlive, end } = await service();
  await ask('{"id":0,"call":"load","source":"(* a x)"}');
  await ask(JSON.stringify({ id: 0, ...VALID[5] }));
  const codes = new Map<string, number>();
  const mistakes: string[] = [];
  for (let index = 0; index < Number(FRAMES); index++) {
    const json = drawn(random);
    const { error } = await ask(json, true);
    const { code = "result", message } = (error ?? {}) as Readonly<Record<string, string>>;
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (code === "E-INTERNAL") mistakes.push(`frame ${index}: ${message}: ${json}`);
    if (index % 50 === 0) await isAlive();
  }
  await isAlive();
  await end();
  expect(mistakes.slice(0, 10)).toEqual([]);
  console.info(`serve-strangers: ${JSON.stringify([...codes])}`);
  for (const code of ["result", "E-OPTION", "E-PROTOCOL", "E-INPUT"])
    expect(codes.has(code), code).toBe(true);
});
