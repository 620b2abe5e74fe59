/**
 * Edges of the command, each against the same thing said in another way: names of files, axes, lines that
 * leave the dots, columns of single precision, characters that steer a terminal, pipes whose reader
 * goes away, exit codes, and candidates whose first visit failed.
 */

import { EventEmitter } from "node:events";
import { join } from "node:path";
import { fit, Machine, NdvmError } from "@ndvm/core";
import { type Json, type Proposal, type Proposer, search } from "@ndvm/search";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readTensor } from "../src/data-file.js";
import { fitPlotText } from "../src/plot.js";
import { drawFit } from "../src/serve/figures.js";
import { ArrayList } from "../src/serve/frames.js";
import { Runs } from "../src/serve/runs.js";
import { note, out, printPieces, reportError, warn, write } from "../src/terminal.js";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

vi.mock("@ndvm/cluster", () => ({ openCluster: vi.fn() }));

afterEach(() => {
  vi.restoreAllMocks();
});

test("a file is read by its kind, however its name is spelt", async () => {
  const rows = [
    [1, 2.5],
    [-3, 4],
    [5, 6],
  ];
  const texts = {
    json: JSON.stringify(rows),
    csv: rows.map((row) => row.join(",")).join("\n"),
    tsv: rows.map((row) => row.join("\t")).join("\n"),
    jsonl: rows.map(([a, b]) => JSON.stringify({ a, b })).join("\n"),
  };
  let plain: unknown;
  for (const [kind, text] of Object.entries(texts))
    for (const spelt of [kind, kind.toUpperCase(), kind[0]?.toUpperCase() + kind.slice(1)]) {
      const name = `${spelt === kind ? "m" : "M"}${spelt}.${spelt}`;
      writeFile(name, text);
      const read = await readTensor(join(folder, name));
      plain ??= read;
      expect(read, name).toEqual(plain);
    }
  for (const spelt of ["json", "JSON", "Json", "jSON"]) {
    writeFile(`v-${spelt}.${spelt}`, "[1, 2, 3]");
    const { stdout, code } = await ndvmHere([
      "eval",
      "-e",
      "(dot v v)",
      "--set",
      `v=@v-${spelt}.${spelt}`,
    ]);
    expect([spelt, code, stdout.trim()]).toEqual([spelt, 0, "14"]);
  }
});

test("--x is the axis, whether the program reads that column or not", async () => {
  const rows = Array.from({ length: 24 }, (_, i) => [
    100 + 7 * i,
    (i * 5) % 11,
    3 * ((i * 5) % 11) + 1,
  ]);
  writeFile("axis.csv", `day,z,y\n${rows.map((row) => row.join(",")).join("\n")}\n`);
  const plotOf = async (source: string, ...more: string[]) => {
    const data = ["--data", "axis.csv", "--target", "y", "--seed", "1", "--plot"];
    const { code, stdout, stderr } = await ndvmHere(["fit", "-e", source, ...data, ...more]);
    expect(code, stderr).toBe(0);
    const at = stdout.indexOf("y over day");
    expect(at).toBeGreaterThan(0);
    return stdout.slice(at);
  };
  for (const more of [[], ["--where", "(> day 150)"], ["--hold-out", "0.25"]]) {
    const aside = await plotOf("(+ b (* a z))", "--x", "day", ...more);
    const read = await plotOf("(+ b (* a z) (* 0 day))", "--x", "day", ...more);
    expect(aside).toBe(read);
    expect(aside).toMatch(/\b2[456]0\s*$/);
  }
});

describe("a plot of a fit", () => {
  const across = (low: number, high: number) =>
    Array.from({ length: 30 }, (_, i): [number, number] => [i, low + ((high - low) * i) / 29]);
  test("reaches from the least to the most of its dots and its lines", () => {
    for (const [dotsLow, dotsHigh] of [
      [0, 40],
      [0, 80],
      [-40, 0],
    ] as const)
      for (const lines of [
        [[0, 40]],
        [[-40, 80]],
        [[0, 120]],
        [[-80, 0]],
        [
          [-40, 0],
          [40, 160],
        ],
      ] as const) {
        const text = fitPlotText({
          ...{ title: "fit", points: across(dotsLow, dotsHigh) },
          lines: lines.map(([low, high]) => across(low, high)),
        });
        const ends = [dotsLow, dotsHigh, ...lines.flat()];
        const labels = [...text.matchAll(/^\s*([-−]?\d+)\s*┤/gm)].map(([, label]) =>
          Number(label?.replace("−", "-")),
        );
        // Labels are whole steps apart, and no further step is left between them and the ends.
        const [top = 0, next = 0] = labels.sort((a, b) => b - a);
        const step = top - next;
        expect(step, text).toBeGreaterThan(0);
        for (const [end, label] of [
          [Math.max(...ends), top],
          [-Math.min(...ends), -(labels.at(-1) ?? 0)],
        ] as const) {
          expect(label, text).toBeLessThanOrEqual(end);
          expect(label + step, text).toBeGreaterThan(end);
        }
      }
  });
});

describe("the service", () => {
  test("draws a fit of columns in single precision as of the same numbers in double", async () => {
    const machine = await Machine.create();
    const program = machine.load("(+ a (* b x))", { inputs: ["x"] });
    const x = Float64Array.from({ length: 20 }, (_, i) => i / 4);
    const y = x.map((at, i) => Math.fround(2 * at + 1 + 0.1 * Math.cos(5 * i)));
    const result = await fit(program, { data: { x, y }, target: "y", seed: 1 });
    const draw = (data: Record<string, Float32Array | Float64Array>) =>
      drawFit({ result, options: { data, target: "y" }, program });
    const plain = await draw({ x, y });
    const [x32, y32] = [Float32Array.from(x), Float32Array.from(y)];
    for (const data of [
      { x: x32, y: y32 },
      { x: x32, y },
      { x, y: y32 },
    ])
      expect(await draw(data)).toBe(plain);
    program.dispose();
    machine.dispose();
  });

  test("answers a header that comes again as one that comes first, whatever the result is", async () => {
    const machine = await Machine.create();
    const shapes = [
      "x",
      "(* x [1 2 3])",
      "(* x [1 2])",
      "(zeros 2 3)",
      "(zeros 3 2)",
      "(zeros 6 1)",
      "(zeros 6)",
    ];
    const cases = shapes.map((shape, i) => `(if (= x ${i}) ${shape}`).join(" ");
    const program = machine.load(`${cases} 0${")".repeat(shapes.length)}`, { inputs: ["x"] });
    const header = { inputs: { x: { $array: 0, kind: "lanes" } }, id: 7 };
    const answerOf = async (runs: Runs, fields: typeof header, ...x: readonly number[]) => {
      const arrays = [{ numbers: Float64Array.from(x), shape: [x.length] }];
      const context = { arrays, signal: new AbortController().signal } as never;
      const answer = await runs.run("evaluate", fields, context);
      const {
        parts,
        fields: result,
        arrays: list,
      } = answer as {
        readonly parts?: readonly Uint8Array[];
        readonly fields?: Readonly<Record<string, unknown>>;
        readonly arrays?: ArrayList;
      };
      const frame = parts ?? (list ?? new ArrayList()).frame({ id: 7, result: result ?? {} });
      return Buffer.concat(
        frame.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)),
      );
    };
    const again = new Runs(() => program);
    for (let before = 0; before <= shapes.length; before++)
      for (let now = 0; now <= shapes.length; now++)
        for (const lanes of [1, 2]) {
          const x = (value: number) => Array<number>(lanes).fill(value);
          await answerOf(again, header, ...x(before));
          const found = await answerOf(again, header, ...x(now));
          const fresh = await answerOf(new Runs(() => program), { ...header }, ...x(now));
          expect(found.equals(fresh), `${shapes[before]} before ${shapes[now]}`).toBe(true);
        }
    program.dispose();
    machine.dispose();
  });
});

describe("a terminal", () => {
  const steers = (character: string): boolean =>
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/u.test(character) && !/[\t\n]/.test(character);
  /** What has no shape: soft hyphens, joiners, fillers, blanks without width, styles of other characters. */
  const isUnseen = (character: string): boolean =>
    /\xad|\u034f|[\u115f\u1160]|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f/.test(character) ||
    /[\u200b-\u200d\u2060-\u206f\u3164\uffa0\ufff0-\ufffb]|^\p{Variation_Selector}$/u.test(
      character,
    );

  test("gets no character that steers it or that nobody sees, and every other as it is", () => {
    const shown: string[] = [];
    const stream = { write: (text: string) => shown.push(text) } as unknown as NodeJS.WriteStream;
    vi.spyOn(process.stderr, "write").mockImplementation((text) => shown.push(String(text)) > 0);
    let steering = 0;
    for (let code = 0; code < 0x10000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCharCode(code);
      shown.length = 0;
      write(stream, `a${character}b`);
      const escaped = `\\u${code.toString(16).padStart(4, "0")}`;
      const isEscaped = steers(character) || isUnseen(character);
      if (shown[0] !== `a${isEscaped ? escaped : character}b`)
        expect([escaped, shown[0]]).toEqual([escaped, isEscaped]);
      if (!isEscaped) continue;
      steering += 1;
      shown.length = 0;
      const text = `a${character}b`;
      warn(text);
      note(text);
      write(stream, out.bold(text));
      reportError(
        new NdvmError("E-OPTION", text, {
          help: text,
          file: text,
          source: text,
          span: { start: 0, end: 3 },
        }),
      );
      expect(shown.length).toBe(4);
      expect(shown.join("").includes(character), escaped).toBe(false);
    }
    // Controls below space but two, DEL and those above it, marks of direction, separators, the mark of order;
    // and what nobody sees, without the marks of direction among it.
    expect(steering).toBe(30 + 33 + 12 + 2 + 1 + 56);
  });

  test.each(["drain", "close"])(
    "that takes no more is waited for until its %s, and no longer",
    async (event) => {
      const stdout = Object.assign(new EventEmitter(), { write: vi.fn(() => false) });
      const before = Object.getOwnPropertyDescriptor(process, "stdout") as PropertyDescriptor;
      Object.defineProperty(process, "stdout", { value: stdout, configurable: true });
      try {
        let isOver = false;
        const printing = printPieces(["one", "two"]).then(() => {
          isOver = true;
        });
        for (const pieces of [1, 2]) {
          await new Promise((resolve) => setImmediate(resolve));
          expect([stdout.write.mock.calls.length, isOver]).toEqual([pieces, false]);
          stdout.emit(event);
        }
        await new Promise((resolve) => setImmediate(resolve));
        expect([isOver, stdout.listenerCount("drain"), stdout.listenerCount("close")]).toEqual([
          true,
          0,
          0,
        ]);
        if (isOver) await printing;
      } finally {
        Object.defineProperty(process, "stdout", before);
      }
    },
  );
});

test("an error of the cluster ends the command with 2, so that nobody starts it again", async () => {
  // The address is looked at before anybody is reached.
  for (const code of ["E-CLUSTER", "E-OPTION", "E-FILE", "E-SYNTAX", "E-ABORTED"] as const) {
    const { openCluster } = await import("@ndvm/cluster");
    vi.mocked(openCluster).mockImplementation(() => {
      throw new NdvmError(code, "it refuses", { help: "ask again" });
    });
    const { code: exit, stderr } = await ndvmHere(["cluster", "--cluster", "redis://h:1"]);
    const wanted = code === "E-ABORTED" ? 130 : code === "E-CLUSTER" || code === "E-OPTION" ? 2 : 1;
    expect([code, exit]).toEqual([code, wanted]);
    expect(stderr).toContain(`error ${code}: it refuses`);
  }
});

/** Proposes what it was told, a round each. */
const told = (proposals: readonly Proposal[]): Proposer => {
  let next = 0;
  return {
    ...{ name: "told", begin() {}, observe() {}, save: (): Json => next, restore() {} },
    async propose() {
      const one = proposals[next] as Proposal;
      next += 1;
      return { proposals: [one], isExhausted: next >= proposals.length };
    },
  };
};

test("a candidate is shown by its best visit, whichever failed and came first", async () => {
  const source = "(* a x)";
  const starts = { fails: 1e308, poor: 1, good: 3 } as const;
  const names = Object.keys(starts) as (keyof typeof starts)[];
  const orders = [
    ["fails"],
    ...names.flatMap((a) => names.filter((b) => b !== a).map((b) => [a, b])),
  ];
  for (const a of names)
    for (const b of names)
      for (const c of names) if (new Set([a, b, c]).size === 3) orders.push([a, b, c]);
  for (const [i, order] of orders.entries()) {
    const archive = join(folder, `visits-${i}.db`);
    const proposals = order.map(
      (name, turn): Proposal => ({
        ...{ source, parents: [], origin: name, isRevisit: turn > 0 },
        params: { a: { fixed: starts[name as keyof typeof starts] } },
      }),
    );
    const x = Array.from({ length: 20 }, (_, at) => 10 + at);
    for await (const _ of search({
      ...{ data: { x, y: x.map((at) => 3 * at + Math.sin(at)) }, target: "y", workers: 0, archive },
      ...{ proposers: [told(proposals)], epoch: 1, slots: 1, lag: 1, seed: 1 },
      recipe: { rungs: [{ restarts: 1, steps: 3, share: 1 }] },
    }));
    const best = order.includes("good") ? "good" : order.includes("poor") ? "poor" : "fails";
    const shown = await ndvmHere(["archive", "show", archive, "0", "--json"]);
    const { origin, status, visits, visit, members } = JSON.parse(shown.stdout);
    expect([order, origin, status]).toEqual([order, best, best === "fails" ? "failed" : "scored"]);
    expect(visits).toHaveLength(order.length);
    const model = await ndvmHere(["archive", "show", archive, "0", "--export", "numpy"]);
    expect([order, model.code]).toEqual([order, best === "fails" ? 1 : 0]);
    if (best === "fails") continue;
    // A search fits its constants to all rows.
    const [member, ...others] = members as { visit: number; params: { a: number } }[];
    expect([member?.visit, others]).toEqual([visit, []]);
    expect(model.stdout).toContain(String(member?.params.a));
  }
});
