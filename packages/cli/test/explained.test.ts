/**
 * What `ndvm explain` says of branches, clamps, tapes and inputs: counted and cut a second time, plainly, and the
 * same as JSON. What eval, grad and explain were told reaches the run: options of the machine, limits, inputs.
 */

import { type Diagnostics, type Explanation, Machine } from "@ndvm/core";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { branchesText } from "../src/commands/explain-branches.js";
import { diagnosticsText } from "../src/diagnostics.js";
import { loadProgram } from "../src/loaded.js";
import { inputsText, tapeText } from "../src/tape-listing.js";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

/** What machines and programs were told, by what they were asked for. */
const seen = vi.hoisted(() => ({
  machines: [] as unknown[],
  runs: [] as [string, ...unknown[]][],
}));
vi.mock("@ndvm/core/machine", async (original) => {
  const real = await original<typeof import("@ndvm/core/machine")>();
  const create: typeof real.Machine.create = async (options) => {
    seen.machines.push(options);
    const machine = await real.Machine.create(options);
    for (const load of ["load", "loadBytecode"] as const) {
      const loading = machine[load].bind(machine) as (...given: unknown[]) => object;
      (machine as unknown as Record<string, unknown>)[load] = (...given: unknown[]) => {
        seen.runs.push([load, ...given]);
        const program = loading(...given) as Record<string, (...more: unknown[]) => unknown>;
        for (const run of ["evaluateAsync", "gradientAsync", "explain", "diagnose"]) {
          const running = program[run]?.bind(program);
          program[run] = (...more: unknown[]) => {
            seen.runs.push([run, ...more]);
            return running?.(...more);
          };
        }
        return program;
      };
    }
    return machine;
  };
  return { ...real, Machine: { create } };
});
afterEach(() => {
  seen.machines.length = 0;
  seen.runs.length = 0;
});

const machine = await Machine.create();
afterAll(() => machine.dispose());

describe("a command that runs a program once", () => {
  const told = async (...args: string[]) => {
    seen.machines.length = 0;
    seen.runs.length = 0;
    const { code, stderr } = await ndvmHere(args);
    expect([code, stderr.includes("error")], stderr).toEqual([0, false]);
    // Names that may mean a primitive are tried by themselves.
    const runs = seen.runs.filter(
      ([way, text]) => way !== "load" || !String(text).startsWith("(+ 0 "),
    );
    return { machine: seen.machines[0] as Record<string, unknown>, runs };
  };
  const set = ["-e", "(* a a)", "--set", "a=3"];
  const WAYS: Readonly<Record<string, readonly string[]>> = {
    eval: ["evaluateAsync"],
    grad: ["gradientAsync"],
    explain: ["explain", "diagnose"],
  };

  test.each(Object.entries(WAYS))("%s passes on what it was told", async (command, ways) => {
    const plain = await told(command, ...set);
    expect(plain.machine).toMatchObject({ precision: "f64", memoryMax: 192 * 2 ** 20 });
    expect(plain.machine["clock"]).toBeTypeOf("function");
    expect(plain.runs.map(([way]) => way)).toEqual(["load", ...ways]);
    for (const [way, inputs, options] of plain.runs.slice(1)) {
      expect(inputs, way).toEqual({ a: 3 });
      expect(options, way).toMatchObject({ stepsMax: 2e8 });
      expect(options, way).not.toHaveProperty("wrt");
      expect(options, way).not.toHaveProperty("seed");
    }
    const limits = ["--precision", "f32", "--memory", "64M", "--timeout", "50s", "--steps", "1e5"];
    const limited = await told(command, ...set, ...limits, "--domain", "clamp");
    // With --timeout the clock is the one on the wall, which is the machine's own.
    expect(limited.machine).toEqual({ precision: "f32", memoryMax: 2 ** 26 });
    expect(limited.runs[0]?.[2]).toMatchObject({ domain: "clamp" });
    for (const [way, , options] of limited.runs.slice(1)) {
      const { timeMax, stepsMax } = options as Record<string, number>;
      expect(stepsMax, way).toBe(1e5);
      expect(timeMax, way).toBeGreaterThan(way.endsWith("Async") ? 49_999 : 10_000);
      expect(timeMax, way).toBeLessThanOrEqual(50_000);
    }
  });

  test.each(["grad", "explain"])("%s differentiates by what --wrt names", async (command) => {
    const { runs } = await told(
      command,
      "-e",
      "(* a b)",
      "--set",
      "a=3",
      "--set",
      "b=4",
      "--wrt",
      "b",
    );
    for (const [way, inputs, options] of runs.slice(1)) {
      expect(inputs, way).toEqual({ a: 3, b: 4 });
      expect(options, way).toMatchObject({ wrt: ["b"] });
    }
  });

  test("grad takes its seed, and a program its file's name", async () => {
    writeFile("named.scm", "(* a a)");
    writeFile("named.ndasm", "LOAD a\nLOAD a\nMUL\n");
    const { runs } = await told("grad", "named.scm", "--set", "a=3", "--seed-adjoint", "2");
    expect(runs[0]?.[2]).toMatchObject({ file: "named.scm", domain: "ieee" });
    expect(runs[1]?.[2]).toMatchObject({ seed: 2 });
    const plain = await told("eval", ...set);
    expect(plain.runs[0]?.[2]).not.toHaveProperty("file");
  });
});

describe("names of the language", () => {
  const inputsOf = (source: string, names: readonly string[], columns: readonly string[] = []) => {
    const program = loadProgram(
      machine,
      { text: source, file: undefined },
      { domain: "ieee" },
      names,
      columns,
    );
    const { inputs } = program;
    program.dispose();
    return [...inputs].sort();
  };

  test("are inputs where they were set and the program has them", () => {
    expect(inputsOf("(* 2 max)", ["max"])).toEqual(["max"]);
    expect(inputsOf("(+ 1 max a)", ["max", "a"])).toEqual(["a", "max"]);
    expect(inputsOf("(max 1 2)", ["sin"])).toEqual([]);
    expect(inputsOf("(+ 1 2) ; max", ["max"])).toEqual([]);
    expect(inputsOf("(+ a 2) #| max |#", ["max"])).toEqual(["a"]);
  });

  test("are inputs as columns where the program reads them and calls none of that name", () => {
    expect(inputsOf("(* 2 max)", [], ["max", "min"])).toEqual(["max"]);
    expect(inputsOf("(max 1 2)", [], ["max"])).toEqual([]);
    expect(inputsOf("(+ min (max 1 2))", [], ["max", "min"])).toEqual(["min"]);
    expect(inputsOf("(+ (sin (if (< 1 2) exp 3)) 1)", [], ["exp", "sin", "if"])).toEqual(["exp"]);
    expect(inputsOf("(+ x y)", ["x"], ["y"])).toEqual(["x", "y"]);
  });

  test("are asked for once for each name, and leave the machine as it was", () => {
    const load = vi.spyOn(machine, "load");
    for (let turn = 0; turn < 3; turn++) inputsOf("(* 2 floor)", ["floor"], ["ceiling"]);
    const asked = load.mock.calls.filter(([text]) => text.startsWith("(+ 0 "));
    expect(asked).toEqual([["(+ 0 floor)"], ["(+ 0 ceiling)"]]);
    load.mockRestore();
  });
});

describe("diagnostics in words", () => {
  const NOTHING = { branches: [], predicateOnly: [], clamped: [], nonFinite: [], paths: [] };
  const text = (some: object) => diagnosticsText({ ...NOTHING, ...some } as unknown as Diagnostics);
  const branch = (taken: number, notTaken: number, source = "(< a b)") => ({
    branches: [{ text: source, taken, notTaken }],
  });

  test("count how often a test held and failed", () => {
    expect(text({})).toBe("no branch on numbers, nothing to be wary of");
    expect(text(branch(1, 0))).toBe("branch (< a b): held once, failed 0 times");
    expect(text(branch(2, 1))).toBe("branch (< a b): held 2 times, failed once");
  });

  test("are all there, each in its line, in this order", () => {
    const all = {
      ...branch(1, 2),
      ...{ predicateOnly: ["p", "q"], clamped: [{ text: "(log a)", lanes: [3] }] },
      nonFinite: [{ message: "lane 1 is NaN" }, { message: "lane 2 is NaN" }],
    };
    expect(text(all).split("\n")).toEqual([
      "branch (< a b): held once, failed 2 times",
      "input p reaches tests only: its gradient is zero",
      "input q reaches tests only: its gradient is zero",
      "clamped (log a) in lane 3: no gradient there",
      "lane 1 is NaN",
      "lane 2 is NaN",
    ]);
  });

  test("name eight lanes and count the others", () => {
    for (let count = 1; count <= 11; count++) {
      const lanes = Array.from({ length: count }, (_, i) => 2 * i);
      const named = lanes.slice(0, 8).join(", ");
      const more = count > 8 ? ` and ${count - 8} more` : "";
      expect(text({ clamped: [{ text: "(log a)", lanes }] })).toBe(
        `clamped (log a) in lane${count > 1 ? "s" : ""} ${named}${more}: no gradient there`,
      );
    }
  });

  test("are of one line each, however a source is laid out", () => {
    for (let length = 50; length < 70; length++) {
      const source = `(<\n\t${"a".repeat(length - 6)}  b)`;
      const line = source.replace(/\s+/g, " ");
      const cut = line.length > 60 ? `${line.slice(0, 57)}…` : line;
      expect(text(branch(2, 2, source))).toBe(`branch ${cut}: held 2 times, failed 2 times`);
      expect(text({ clamped: [{ text: source, lanes: [0] }] })).toContain(
        `clamped ${cut} in lane 0`,
      );
    }
  });
});

describe("the way from the values set", () => {
  const along = async (...args: string[]) => {
    const { stdout, stderr } = await ndvmHere(["explain", ...args, "--format", "json"]);
    expect(stderr).toBe("");
    return JSON.parse(stdout).diagnostics.along;
  };

  test("goes in so many equal steps, both ends included, and finds each turn on it", async () => {
    // Turns where a passes 1, 2, 3 …: as many as there are whole numbers on the way.
    const source = `(+ ${[1, 2, 3, 4, 5].map((k) => `(if (< a ${k}.01) 1 2)`).join(" ")})`;
    for (const points of [1, 3, 4, 10, 20]) {
      const more = points === 20 ? [] : ["--points", String(points)];
      const found = await along("-e", source, "--set", "a=0", "--to", "a=6", ...more);
      const at = (step: number) => (6 * step) / points;
      const turns = [...Array(points).keys()].filter((step) =>
        [1.01, 2.01, 3.01, 4.01, 5.01].some((k) => at(step) < k && at(step + 1) >= k),
      );
      expect(found).toMatchObject({ along: "steps", compared: points });
      expect(found.instability).toBeCloseTo(turns.length / points, 12);
      expect(found.flips.map(({ from }: { from: { a: number } }) => from.a)).toEqual(turns.map(at));
      expect(found.flips.map(({ to }: { to: { a: number } }) => to.a)).toEqual(
        turns.map((step) => at(step + 1)),
      );
    }
  });

  test("moves every input that is named, keeps the others, and counts every lane", async () => {
    const set = ["--set", "a=0", "--set", "b=8", "--set", "c=-1,1", "--set", "d=5"];
    const to = ["--to", "a=4", "--to", "b=0", "--points", "4"];
    const found = await along("-e", "(if (< (+ a c) (+ b d -5)) a b)", ...set, ...to);
    expect(found).toMatchObject({ along: "steps", compared: 8 });
    // a + c reaches b at a = 8/3 + … for c = 1 between steps 2 and 3, for c = −1 at step 3.
    const place = ({ lane, from, to: end }: Record<string, unknown>) => [lane, from, end];
    expect(found.flips.map(place)).toEqual(
      [
        [1, { a: 2, b: 4, c: 1, d: 5 }, { a: 3, b: 2, c: 1, d: 5 }],
        [0, { a: 2, b: 4, c: -1, d: 5 }, { a: 3, b: 2, c: -1, d: 5 }],
      ].sort((one, other) => Number(one[0]) - Number(other[0])),
    );
    expect(found.instability).toBe(2 / 8);
  });

  test("is told with the numbers that moved alone", () => {
    const flip = {
      ...{ text: "(< a b)", span: { start: 0, end: 7 }, lane: 3, after: 0 },
      ...{ from: { a: 1, b: 2 / 3, c: 5 }, to: { a: 1, b: 1, c: 6 } },
    };
    const line = (along: "steps" | "lanes", before?: boolean, now?: boolean) =>
      branchesText({
        ...{ along, compared: 7, instability: 1 / 7, flips: [{ ...flip, before, now }] },
      });
    const moved = "between b = 0.666667, c = 5 and b = 1, c = 6";
    expect(line("steps", true, false)).toBe(
      "instability 0.143: 1 of 7 steps of a lane change their way\n" +
        `branch (< a b): held, then failed; lane 3, ${moved}`,
    );
    expect(line("lanes", undefined, true)).toBe(
      "instability 0.143: 1 of 7 neighbouring lanes change their way\n" +
        `branch (< a b): not reached, then held; lane 2 to 3, ${moved}`,
    );
  });
});

describe("JSON of an explanation", () => {
  test.each([
    ["(if (< a 1) (sin a) (vec a 2))", { a: 0.5 }],
    ["(* a 2)", { a: [1, 2, 3] }],
    ["7", {}],
  ])("of %s is that of the library, whole", async (source, inputs) => {
    const set = Object.entries(inputs).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    const { stdout } = await ndvmHere(["explain", "-e", source, ...set, "--format", "json"]);
    const { diagnostics, stats, ...explanation } = JSON.parse(stdout);
    const program = machine.load(source);
    const wanted = JSON.parse(JSON.stringify(program.explain(inputs)));
    const { stats: _, ...plain } = wanted;
    expect(explanation).toEqual(plain);
    expect(Object.keys(stats).sort()).toEqual(Object.keys(wanted.stats).sort());
    const { branches, predicateOnly, clamped, nonFinite } = program.diagnose(inputs);
    const report = JSON.parse(JSON.stringify({ branches, predicateOnly, clamped, nonFinite }));
    const { along, ...rest } = diagnostics;
    expect(rest).toEqual(report);
    expect(along === undefined).toBe(set.join().split(",").length < 4);
    program.dispose();
  });
});

describe("a listing", () => {
  const explanation = (tape: object[], inputs: object[] = []) =>
    ({ tape, inputs }) as unknown as Explanation;
  const record = (some: object) => ({
    ...{ op: "mul", out: 0, in0: -1, in1: undefined, shape: [], active: true, uniform: true },
    ...{ text: "(* a b)", ...some },
  });
  const cells = (some: object): string[] =>
    (
      tapeText(explanation([record(some)]), true)
        .split("\n")
        .at(-1) ?? ""
    )
      .trim()
      .split(/ {2,}/);

  test("of a tape has each record in its row", () => {
    expect(tapeText(explanation([]), true)).toMatch(/^\(no records/);
    expect(cells({})).toEqual(["0", "mul", "%0", "number", "active uniform", "(* a b)"]);
    expect(cells({ out: 7, in0: 0, in1: 3, shape: [2, 3], uniform: false })).toEqual([
      ...["0", "mul", "%7", "%0 %3", "[2,3]", "active", "(* a b)"],
    ]);
    expect(cells({ out: -1, in0: 4, active: false, shape: [5] })).toEqual([
      ...["0", "mul", "%4", "[5]", "inactive uniform", "(* a b)"],
    ]);
    expect(cells({ in0: -1, in1: 2 })).toContain("%2");
  });

  test("of a long tape is cut where it is not asked for as a whole", () => {
    const tape = Array.from({ length: 500 }, (_, out) => record({ out }));
    expect(tapeText(explanation(tape), true)).toContain("%499");
    expect(tapeText(explanation(tape), false)).toMatch(/… \d+ more records/);
  });

  test("of inputs says which are active", () => {
    expect(inputsText(explanation([], []))).toBe("(none)");
    const inputs = [
      { name: "long", active: true },
      { name: "k", active: false },
    ];
    expect(inputsText(explanation([], inputs))).toBe(
      "long  active\nk     inactive: no gradient is kept for it",
    );
  });
});
