/**
 * Fits that go on from the result of another: only from one of the same loss, and then as if it had never ended.
 * The seed is new in every run and printed; `SEED=… npx vitest run …` repeats one.
 */

import { describe, expect, test } from "vitest";
import {
  type FitJson,
  type FitOptions,
  fit,
  fitFromJSON,
  type LoadOptions,
  Machine,
  mat,
  Random,
} from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
console.log(`SEED=${seed}`);

interface Case {
  readonly source: string;
  readonly options: FitOptions;
  readonly load?: LoadOptions;
  readonly machine?: Machine;
}

const x = steps(0, 5, 12);
const off = noise(12, 0.2);
const y = x.map((at, i) => 1 + 2 * at + (off[i] as number));
const z = x.map((at, i) => 3 - at + (off[11 - i] as number));
const w = x.map((_, i) => 1 + (i % 3));
const unread = x.map((_, i) => i);
const line: Case = {
  source: "(+ a (* b x))",
  options: { data: { x, y, z, w, unread }, target: "y" },
};

/** The case with other options, or with another text. */
const having = ({ options, ...rest }: Case, more: Partial<FitOptions>): Case => ({
  ...rest,
  options: { ...options, ...more },
});

const run = ({ source, options, load, machine: on = machine }: Case) =>
  fit(on.load(source, load), options);

const jsonOf = async (one: Case): Promise<FitJson> =>
  JSON.parse(JSON.stringify(await run(one))) as FitJson;

const resume = async (from: Case, to: Case) => run(having(to, { resume: await jsonOf(from) }));

/** What a resumed fit has other; "nothing" where it is taken. */
const told = (from: Case, to: Case): Promise<string> =>
  resume(from, to).then(
    () => "nothing",
    (error: { code: string; message: string }) => {
      expect(error.code).toBe("E-OPTION");
      return error.message.replace("the result to resume is of another fit: ", "");
    },
  );

const moved = (numbers: readonly number[]) => numbers.map((each, i) => (i === 7 ? each + 1 : each));
const weighted = having(line, { weights: "w" });
const coins: Case = {
  source: "(/ 1 (+ 1 (exp (- (+ a (* b x))))))",
  options: {
    data: { x, y: w, m: x.map(() => 9) },
    ...{ target: "y", loss: "binomial", trials: "m" },
  },
};
const grouped: Case = {
  source: line.source,
  options: { data: { x, y, g: w, h: unread.map((i) => i % 2) }, target: "y" },
};
const groups = (by: string) => ({ groups: { by, params: ["a"] } });
const bound = (b: NonNullable<FitOptions["params"]>[string]) =>
  having(line, { params: { a: 1, b } });
const matrix = (rows: number[][]): Case => ({
  source: "(+ (vsum (* (- v a) (- v a))) (* b b (vsum (matvec m v))) (* s b))",
  options: { data: { v: [1, 2], m: mat(rows), s: 1 }, steps: 3 },
});

describe("the result of another fit was resumed, and its losses told as those of this one", () => {
  test.each<[string, Case, Case, string]>([
    ["a row more", having(line, { data: { x: x.slice(1), y: y.slice(1) } }), line, "other data"],
    ["y of a row", line, having(line, { data: { x, y: moved(y) } }), "other data"],
    ["x of a row", line, having(line, { data: { x: moved(x), y } }), "other data"],
    ["the sign of a 0", line, having(line, { data: { x: [-0, ...x.slice(1)], y } }), "other data"],
    ["target", line, having(line, { target: "z" }), "another target, other data"],
    ["text", line, { ...line, source: "(+ a (* b x x))" }, "another program"],
    ["domain", line, { ...line, load: { domain: "clamp" } }, "another program"],
    [
      "what a name means",
      { ...line, source: "(+ a (* b x) (* 0 pi))" },
      { ...line, source: "(+ a (* b x) (* 0 pi))", load: { inputs: ["pi"] } },
      "another program, other bounds, scales or fixed values",
    ],
    ["weights", line, weighted, "other weights"],
    ["a weight", weighted, having(line, { weights: moved(w) }), "other weights"],
    ["sigma", line, having(line, { sigma: "w" }), "other deviations (sigma)"],
    [
      "kind of weights",
      weighted,
      having(line, { sigma: "w" }),
      "other weights, other deviations (sigma)",
    ],
    ["trials", coins, having(coins, { trials: moved(x.map(() => 9)) }), "other trials"],
    ["loss", having(line, { loss: "absolute" }), having(line, { loss: "huber" }), "another loss"],
    [
      "width",
      having(line, { loss: "huber" }),
      having(line, { loss: "huber", huberWidth: 2 }),
      "another loss",
    ],
    [
      "text of a loss",
      having(line, { loss: "(abs (- pred y))" }),
      having(line, { loss: "(abs (- y pred))" }),
      "another loss",
    ],
    [
      "a column of a loss",
      having(line, { loss: "(* w (abs (- pred y)))" }),
      having(line, { loss: "(* w (abs (- pred y)))", data: { x, y, w: moved(w) } }),
      "other data",
    ],
    [
      "likelihood",
      having(line, { loss: "huber" }),
      having(line, { loss: "huber", isNegativeLogLikelihood: true }),
      "another loss",
    ],
    [
      "groups of rows",
      having(grouped, { ...groups("g") }),
      having(grouped, { ...groups("g"), data: { x, y, g: [3, ...w.slice(1)] } }),
      "other groups, other bounds, scales or fixed values",
    ],
    ["bounds", line, bound({ bounds: [null, 9] }), "other bounds, scales or fixed values"],
    ["scale", line, bound({ scale: "log" }), "other bounds, scales or fixed values"],
    ["fixed", line, bound({ fixed: 1 }), "other bounds, scales or fixed values"],
    [
      "a fixed value",
      bound({ fixed: 1 }),
      bound({ fixed: 2 }),
      "other bounds, scales or fixed values",
    ],
    [
      "a matrix",
      matrix([
        [1, 0],
        [0, 1],
      ]),
      matrix([
        [1, 0],
        [1, 1],
      ]),
      "other data",
    ],
    ["a start", line, bound(1.5), "restart 0 of the result to resume began elsewhere"],
  ])("other %s", async (_, from, to, expected) => {
    expect(await told(from, to)).toBe(expected);
    expect(await told(to, from)).toBe(expected);
    expect(await told(from, from)).toBe("nothing");
  });

  test("other precision", async () => {
    const single = await Machine.create({ precision: "f32" });
    const other = { ...line, machine: single };
    expect(await told(line, other)).toBe("another precision");
    expect(await told(other, line)).toBe("another precision");
    expect(await told(other, other)).toBe("nothing");
    single.dispose();
  });

  test("a change of any number of the data by its last bit", async () => {
    const random = new Random(seed);
    const json = await jsonOf(weighted);
    for (let i = 0; i < 60; i++) {
      const name = ["x", "y", "w"][i % 3] as "x" | "y" | "w";
      const column = Float64Array.from({ x, y, w }[name]);
      const row = Math.floor(random.uniform() * column.length);
      const bits = new BigInt64Array(column.buffer);
      bits[row] = (bits[row] as bigint) + (random.uniform() < 0.5 ? 1n : 3n);
      const other = having(weighted, { data: { x, y, w, [name]: column }, resume: json });
      const error = await run(other).then(String, String);
      expect(error, `${name}, row ${row}`).toContain(name === "w" ? "other weights" : "other data");
    }
  });

  test("what a result of an older version does not say is evaluated", async () => {
    const single = await Machine.create({ precision: "f32" });
    const params = { a: { range: [0, 3] }, b: { range: [0, 3] } } as const;
    for (const [loss, optimiser] of [
      ["squares", "lm"],
      ["squares", "lbfgs"],
      ["squares", "adam"],
      ["absolute", "lbfgs"],
      ["huber", "lbfgs"],
      ["(abs (- pred y))", "adam"],
    ] as const)
      for (const on of [machine, single]) {
        const how = { loss, optimiser, params, restarts: 3, steps: 40, sigma: "w" };
        const one = { ...having(line, how), machine: on };
        const { digests: _digests, ...json } = (await jsonOf(one)) as FitJson & {
          digests: unknown;
        };
        const { best } = await run(having(one, { resume: json as FitJson }));
        expect(best).toEqual((await run(one)).best);
        const other = having(one, { data: { x, y: moved(y), w }, resume: json as FitJson });
        await expect(run(other)).rejects.toThrow("its losses are not those of this one");
      }
    single.dispose();
  });
});

const declaring = (...inputs: string[]): Case => ({ ...line, load: { inputs } });
const shadowed = "(let ((w b)) (+ a (* w x)))";
/** One toss a row. */
const tossed = having(coins, { data: { x, y: x.map((_, i) => i % 2), m: x.map(() => 1) } });
const { trials: _trials, ...withoutTrials } = tossed.options;

describe("a result of the same fit is resumed", () => {
  const floats = { x: Float32Array.from(x, Math.fround), y: Float64Array.from(y) };
  test.each<[string, Case, Case]>([
    ["columns in another order", line, having(line, { data: { w, y, x } })],
    ["columns that nothing reads", line, having(line, { data: { x, y, more: moved(x), z: w } })],
    [
      "typed arrays",
      having(line, { data: { x: x.map(Math.fround), y } }),
      having(line, { data: floats }),
    ],
    ["weights as numbers", weighted, having(line, { weights: Float64Array.from(w) })],
    [
      "a loaded loss",
      having(line, { loss: "(abs (- pred y))" }),
      {
        ...line,
        options: { ...line.options, loss: machine.load("(abs (- pred y))") },
      },
    ],
    ["defaults that are said", line, having(line, { loss: "squares", level: 0.9, seed: 0 })],
    ["the domain by default", line, { ...line, load: { domain: "ieee", file: "a.scm" } }],
    ["an input that the text does not name", line, { ...line, load: { inputs: ["unread"] } }],
    ["a declared column, which was called another program", line, declaring("x")],
    ["all its free names declared", line, declaring("x", "b", "a")],
    ["free names and others declared", declaring("unread", "b"), declaring("x", "w")],
    [
      "a declared name that the text binds",
      { ...line, source: shadowed },
      { ...line, source: shadowed, load: { inputs: ["w"] } },
    ],
    [
      "a loss of declared names, which was called another loss",
      having(line, { loss: "(abs (- pred y))" }),
      having(line, { loss: machine.load("(abs (- pred y))", { inputs: ["pred", "y"] }) }),
    ],
    ["a trial a row, which was called other trials", tossed, { ...tossed, options: withoutTrials }],
    ["other limits", line, having(line, { steps: 99, timeMax: 1e9, together: 1, chunk: 4 })],
    ["other tolerances", line, having(line, { tolerances: { gradient: 1e-3 } })],
  ])("with %s", async (_, from, to) => {
    expect(await told(from, to)).toBe("nothing");
    expect(await told(to, from)).toBe("nothing");
  });

  test("also after it was brought back from its JSON", async () => {
    const json = await jsonOf(line);
    const again = fitFromJSON(machine.load(line.source), json).toJSON();
    expect(again["digests"]).toEqual(json["digests"]);
  });
});

const wave: Case = {
  source: "(* a (exp (- (* k x))) (cos (* q x)))",
  options: {
    data: {
      x,
      y: x.map((v) => 2 * Math.exp(-0.4 * v) * Math.cos(2 * v) + 0.01 * Math.sin(37 * v)),
    },
    target: "y",
    params: { a: { range: [0.5, 4] }, k: { bounds: [0, 3] }, q: { range: [0.5, 4] } },
    seed: 7,
  },
};
/** A result without what an interruption may change: rounds and times. */
const lasting = (json: FitJson) => ({
  ...json,
  counters: { ...(json["counters"] as object), rounds: 0, milliseconds: 0 },
});

describe("restarts that ended by their steps", () => {
  const random = new Random(seed, 1);
  test.each(
    (["lm", "lbfgs", "adam"] as const).flatMap((optimiser) =>
      (["squares", "absolute", "huber"] as const)
        .filter((loss) => optimiser !== "lm" || loss === "squares")
        .flatMap((loss) => [1, 6].map((restarts) => ({ optimiser, loss, restarts }))),
    ),
  )("go on as if they had never ended: $optimiser, $loss, $restarts", async (how) => {
    const one = having(wave, how);
    const most = how.optimiser === "adam" ? 60 : 25;
    const whole = await jsonOf(having(one, { steps: most }));
    for (let i = 0; i < 4; i++) {
      const few = 1 + Math.floor(random.uniform() * (most - 1));
      const part = await jsonOf(having(one, { steps: few }));
      const resumed = await jsonOf(having(one, { steps: most, resume: part }));
      expect(lasting(resumed), `${few} steps`).toEqual(lasting(whole));
      const twice = await jsonOf(having(one, { steps: most, resume: resumed }));
      expect(lasting(twice)).toEqual(lasting(whole));
    }
  });

  test("are left as they are where there are no more steps", async () => {
    const part = await jsonOf(having(wave, { steps: 3 }));
    const again = await run(having(wave, { steps: 3, resume: part }));
    expect(again.restarts).toEqual(part["restarts"]);
  });
});
