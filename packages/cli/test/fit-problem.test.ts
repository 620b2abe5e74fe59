/**
 * From a command line to the problem that is fitted: which rows and columns the fit is given, which those that are
 * held out, and which options go together. The rows are read and chosen a second time, plainly.
 */

import { join } from "node:path";
import { type NdvmError, Random, type TensorInput } from "@ndvm/core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FitCommandOptions } from "../src/fit/options.js";
import { type FitProblem, openProblem } from "../src/fit/problem.js";
import { folder, writeFile } from "./run.js";

interface Row {
  readonly x: number;
  readonly y: number;
  readonly v: number;
  readonly w: number;
  readonly g: string;
}
const random = new Random(5);
const rows: readonly Row[] = Array.from({ length: 30 }, (_, i) => ({
  ...{ x: i, y: 3 * i + random.below(9), v: 50 - i, w: 1 + random.below(7) },
  g: ["red", "blue", "green"][i % 3] as string,
}));
/** Options as they come from the command line; undefined is left out there. */
type Given = Readonly<Partial<Record<keyof FitCommandOptions, unknown>>>;
const DEFAULTS = {
  ...{ missing: "omit", optimiser: "auto", restarts: 1, seed: 0, precision: "f64" },
  domain: "ieee",
} as const;

beforeAll(() => {
  const lines = rows.map(({ x, y, v, w, g }) => [x, y, v, w, g].join(","));
  writeFile("t.csv", `x,y,v,w,g\n${lines.join("\n")}\n`);
});

const opened: FitProblem[] = [];
afterEach(() => {
  for (const { machine } of opened.splice(0)) machine.dispose();
});

const open = async (options: Given, file?: string): Promise<FitProblem> => {
  const data = "data" in options ? {} : { data: join(folder, "t.csv") };
  const problem = await openProblem(file, {
    ...DEFAULTS,
    ...data,
    ...options,
  } as FitCommandOptions);
  opened.push(problem);
  return problem;
};
const failure = async (options: Given, file?: string): Promise<string> => {
  const found = await open(options, file).then(
    () => "nothing",
    (error: Error) => error,
  );
  if (typeof found === "string") return found;
  return `${found.message}${(found as NdvmError).help === undefined ? "" : ` | ${(found as NdvmError).help}`}`;
};

const LINE = { eval: "(+ a (* b x))", target: ["y"] } as const;

/** The numbers of rows, and names in place of numbers. */
const columnOf = (some: readonly Row[], name: keyof Row) =>
  name === "g" ? some.map(({ g }) => g) : Float64Array.from(some, (row) => row[name]);

describe("the columns of a fit", () => {
  const isHeld = (row: Row) => row.x >= 20;
  test.each<[string, Given, readonly (keyof Row)[], (row: Row) => boolean, boolean]>([
    ["all rows", {}, ["x", "y"], () => true, false],
    [
      "tested rows",
      { where: ["(> x 4)", "g!=red"] },
      ["x", "y"],
      (row) => row.x > 4 && row.g !== "red",
      false,
    ],
    ["rows to score", { holdOut: "21..30" }, ["x", "y"], () => true, true],
    ["an axis", { x: "v", holdOut: "21..30" }, ["x", "y", "v"], () => true, true],
    [
      "groups",
      { group: "g:a", where: ["(< v 47)"], holdOut: "21..30" },
      ["x", "y", "g"],
      (row) => row.v < 47,
      true,
    ],
    ["deviations", { sigma: "w", holdOut: "21..30" }, ["x", "y", "w"], () => true, true],
    ["weights", { weights: "w", where: ["(> x 4)"] }, ["x", "y", "w"], (row) => row.x > 4, false],
    ["weights by target", { weights: "y=w", holdOut: "21..30" }, ["x", "y", "w"], () => true, true],
    [
      "trials",
      { trials: "v", loss: "binomial", holdOut: "21..30" },
      ["x", "y", "v"],
      () => true,
      true,
    ],
    [
      "a loss of one's own",
      { loss: "(* w (- pred y))", holdOut: "21..30" },
      ["x", "y", "w"],
      () => true,
      true,
    ],
  ])("are those of %s, in their order", async (_, more, read, passes, holds) => {
    const { data, heldOut, rows: counted, targets, columns } = await open({ ...LINE, ...more });
    const passed = rows.filter(passes);
    const taken = passed.filter((row) => !holds || !isHeld(row));
    const held = passed.filter((row) => holds && isHeld(row));
    for (const name of read) {
      expect(data[name], name).toEqual(columnOf(taken, name));
      if (holds) expect(heldOut?.[name], name).toEqual(columnOf(held, name));
    }
    // The others are there by name alone.
    const others = (["x", "y", "v", "w", "g"] as const).filter((name) => !read.includes(name));
    for (const name of others) expect(data[name], name).toEqual(new Float64Array(taken.length));
    expect(Object.keys(data)).toEqual(["x", "y", "v", "w", "g"]);
    expect(heldOut === undefined).toBe(!holds);
    expect([targets, columns]).toEqual([["y"], ["x"]]);
    expect([
      counted?.taken.length,
      counted?.heldOut.length,
      counted?.filtered,
      counted?.missing,
    ]).toEqual([taken.length, held.length, rows.length - passed.length, 0]);
  });

  test("are without rows that miss a cell which somebody reads, whoever it is", async () => {
    const names = ["x", "y", "v", "w", "g"] as const;
    const holes = rows.map((row, i) =>
      names.map((name, at) => (i % 7 === at + 1 ? "" : row[name])).join(","),
    );
    const data = join(folder, writeFile("holes.csv", `${names.join(",")}\n${holes.join("\n")}\n`));
    const ways: [Given, readonly (keyof Row)[]][] = [
      [{}, ["x", "y"]],
      [{ x: "v" }, ["x", "y"]],
      [{ sigma: "w" }, ["x", "y", "w"]],
      [{ weights: "v" }, ["x", "y", "v"]],
      [{ trials: "w", loss: "binomial" }, ["x", "y", "w"]],
      [{ group: "g:a" }, ["x", "y", "g"]],
      [{ loss: "(* w (- pred v))" }, ["x", "y", "w", "v"]],
      [{ target: ["y", "v"], eval: "(vec (* a x) b)" }, ["x", "y", "v"]],
    ];
    for (const [more, read] of ways) {
      const { rows: found } = await open({ ...LINE, data, ...more });
      const whole = [...rows.keys()].filter((i) =>
        read.every((name) => i % 7 !== names.indexOf(name) + 1),
      );
      expect([...(found?.taken ?? [])], JSON.stringify(more)).toEqual(whole);
      expect(found?.missing).toBe(rows.length - whole.length);
    }
  });

  test("have the names that --column gives, and cells that --na names are missing", async () => {
    const cells = "Time (s),y\n0,1\n1,-999\n2,5\n3,none\n";
    const data = join(folder, writeFile("named.csv", cells));
    const found = await open({ ...LINE, data, column: ["x=Time (s)"], na: ["-999", "none"] });
    expect(found.data).toEqual({ x: Float64Array.of(0, 2), y: Float64Array.of(1, 5) });
    expect(found.rows?.missing).toBe(2);
    expect(found.table?.name).toBe(data);
  });
});

describe("options of a fit that need another", () => {
  const one: Given = {
    ...{ target: ["y"], where: ["(> x 1)"], holdOut: "0.2", sigma: "w", weights: "w" },
    ...{ group: "g:a", column: ["t=x"], na: ["-"], loss: "absolute", trials: "w", x: "v" },
  };
  test.each(["target", "where", "holdOut", "sigma", "weights", "group", "column", "na"] as const)(
    "%s needs --data",
    async (key) => {
      const option = key === "holdOut" ? "--hold-out" : `--${key}`;
      const target = ["target", "where", "column", "na"].includes(key) ? {} : { target: ["y"] };
      const given = { eval: "(square a)", data: undefined, [key]: one[key], ...target };
      const said = await failure(given);
      expect(said).toMatch(
        key === "target" || !("target" in target)
          ? `${option} needs --data`
          : "--target needs --data",
      );
    },
  );

  test.each(["holdOut", "loss", "sigma", "weights", "trials", "group", "x"] as const)(
    "%s needs --target",
    async (key) => {
      const option = key === "holdOut" ? "--hold-out" : `--${key}`;
      const said = await failure({ eval: "(vsum (* a x))", [key]: one[key] });
      expect(said).toBe(`${option} needs --target`);
    },
  );

  test.each([
    [{ trials: "3" }, { loss: "binomial" }, "--trials needs --loss binomial"],
    [{ huberWidth: 3 }, { loss: "huber" }, "--huber-width needs --loss huber"],
    [{ rate: 0.1 }, { optimiser: "adam" }, "--rate needs --optimiser adam"],
    [
      { likelihood: true, loss: "absolute" },
      { loss: "huber" },
      "--likelihood needs a loss other than absolute, which has no errors",
    ],
    [{ exportGroup: "a" }, { group: "g:a" }, "--export-group needs --group"],
  ])("%o alone was ignored without a word", async (options, other, words) => {
    const line = { ...LINE, ...options };
    expect(await failure(line)).toBe(words);
    expect(await failure({ ...line, ...other })).not.toBe(words);
  });

  test("both ways to weigh rows, or two things from standard input, are one too many", async () => {
    expect(await failure({ ...LINE, sigma: "w", weights: "w" })).toMatch("give one of them");
    for (const file of [undefined, "-"])
      expect(await failure({ target: ["y"], data: "-" }, file)).toMatch("come from standard input");
  });

  test("a group that is held out as a whole is named", async () => {
    const part = { ...LINE, group: "g:a" };
    expect(await failure({ ...part, holdOut: "(= (- x (* 3 (floor (/ x 3)))) 1)" })).toBe(
      "--hold-out leaves no row of the group blue to fit to",
    );
    expect(await failure({ ...part, holdOut: "21..30" })).toBe("nothing");
  });

  test("so is any group of any rows, the first that is held out with no row left", async () => {
    const ROWS = 4;
    let refused = 0;
    for (let drawn = 0; drawn < 3 ** ROWS; drawn += 2) {
      // A group may be called 0.
      const groups = Array.from({ length: ROWS }, (_, row) =>
        ["0", "b", "c"].at(Math.floor(drawn / 3 ** row) % 3),
      );
      const lines = groups.map((group, row) => `${row},${row * row},${group}`);
      const data = join(folder, writeFile("groups.csv", `x,y,g\n${lines.join("\n")}\n`));
      for (let first = 1; first <= ROWS; first++)
        for (let last = first; last <= ROWS; last++) {
          if (last - first + 1 === ROWS) continue;
          const held = groups.slice(first - 1, last);
          const left = [...groups.slice(0, first - 1), ...groups.slice(last)];
          const lost = held.find((group) => !left.includes(group));
          const given = { ...LINE, data, group: "g:a", holdOut: `${first}..${last}` };
          expect(await failure(given), `${groups} ${first}..${last}`).toBe(
            lost === undefined
              ? "nothing"
              : `--hold-out leaves no row of the group ${lost} to fit to`,
          );
          refused += lost === undefined ? 0 : 1;
        }
      for (const { machine } of opened.splice(0)) machine.dispose();
    }
    expect(refused).toBeGreaterThan(100);
  });

  test("no row that is left is told with what took it", async () => {
    const data = join(folder, writeFile("gone.csv", "x,y\n0,1\n1,\n2,\n3,4\n"));
    expect(await failure({ ...LINE, data, where: ["(> x 0)", "(< x 3)"] })).toBe(
      `${data}: no row is left of 4: 2 do not pass --where, 2 have missing values | check --where and --na`,
    );
    expect(await failure({ ...LINE, data, where: ["(> x 9)"] })).toContain(
      "no row is left of 4: 4 do not pass --where |",
    );
  });
});

describe("what is set", () => {
  test("is a parameter that is kept, beside those that are said", async () => {
    const { options } = await open({ ...LINE, set: ["a=2"], param: ["b=1..3"], bound: ["b=0.."] });
    expect(options.params).toEqual({ a: { fixed: 2 }, b: { range: [1, 3], bounds: [0, null] } });
    expect(await failure({ ...LINE, set: ["a=2"], param: ["a=1"] })).toBe(
      "a is both set and a parameter",
    );
  });

  test("is data of an objective where it is a vector, a matrix or an integer", async () => {
    const objective = {
      eval: "(+ (dot c c) n (square (- a (vsum x))))",
      data: join(folder, "t.csv"),
    };
    const { data, options, columns } = await open({
      ...objective,
      set: ["c=[1, 2]", "k=4"],
      int: ["n=3"],
    });
    expect(data["x"]).toEqual(columnOf(rows, "x"));
    expect((data["c"] as TensorInput).data).toEqual(Float64Array.of(1, 2));
    expect(data["n"]).toMatchObject({ kind: "int", value: 3 });
    expect(options.params).toEqual({ k: { fixed: 4 } });
    expect(columns).toEqual(["x"]);
    expect(options.data).toBe(data);
    expect(options).not.toHaveProperty("loss");
    expect(options).not.toHaveProperty("target");
  });

  test("is refused where a fit cannot have it, and said as what it is", async () => {
    expect(await failure({ ...LINE, set: ["a=1,2"] })).toContain(
      "--set a has a value for each lane",
    );
    expect(await failure({ ...LINE, set: ["a=[1, 2]"] })).toContain(
      "a is a vector or matrix, which",
    );
    expect(await failure({ ...LINE, int: ["a=2"] })).toContain("a is a structural integer, which");
  });
});

test("a problem without data has none, and takes its program from a file or a text", async () => {
  const text = { eval: "(square (- a 2))", file: undefined };
  const file = { eval: undefined, file: join(folder, writeFile("square.scm", "(square (- a 2))")) };
  for (const { eval: source, file: name } of [text, file]) {
    const found = await open({ data: undefined, eval: source, likelihood: true }, name);
    const { table, rows: none, heldOut, targets, columns, data } = found;
    expect([table, none, heldOut, targets, columns, data]).toEqual([
      ...[undefined, undefined, undefined, [], [], {}],
    ]);
    expect(found.source).toEqual({ text: "(square (- a 2))", file: name });
    expect(found.options).toMatchObject({ isNegativeLogLikelihood: true, restarts: 1, seed: 0 });
  }
});

test("several targets are a list, one is its name, and a loss of one's own is a program", async () => {
  const two = await open({ eval: "(vec (* a x) b)", target: ["v", "y"] });
  expect(two.options.target).toEqual(["v", "y"]);
  const { options } = await open({ ...LINE, loss: "(abs (- pred y))", likelihood: true });
  expect(options).toMatchObject({ target: "y", isNegativeLogLikelihood: true });
  expect((options.loss as { inputs: readonly string[] }).inputs).toEqual(["pred", "y"]);
  expect((await open({ ...LINE, loss: "huber", huberWidth: 3 })).options.huberWidth).toBe(3);
});
