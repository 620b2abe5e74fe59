/**
 * Every option of `search` and `fit` reaches the library under its own name and with its own value: the
 * library's `search`, `llm`, `evolve` and `fit` are watched here.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FitOptions } from "@ndvm/core";
import type { LlmOptions, SearchOptions } from "@ndvm/search";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const seen = {
  searches: [] as SearchOptions[],
  models: [] as LlmOptions[],
  evolutions: [] as unknown[],
  replays: [] as unknown[],
  fits: [] as FitOptions[],
  machines: [] as unknown[],
};
/** How the watched search ends. */
let stopped = "candidates";
/** Whether Ctrl-C is pressed as soon as a fit begins. */
let isInterrupted = false;

vi.mock("@ndvm/search", async (original) => {
  const real = await original<typeof import("@ndvm/search")>();
  const counts = {
    ...{ candidates: 3, revisits: 0, scored: 0, duplicates: 0, failed: 0, fits: 0, failures: {} },
    ...{ workersReplaced: 0, spending: { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 } },
  };
  return {
    ...real,
    async *search(options: SearchOptions) {
      seen.searches.push(options);
      const amounts = { counts, inThisRun: counts, seconds: 1 };
      yield { type: "done", ...amounts, stopped, front: [], warnings: [] };
    },
    llm: (options: LlmOptions) => {
      seen.models.push(options);
      return { name: "llm" };
    },
    evolve: (options: unknown) => {
      seen.evolutions.push(options);
      return { name: "evolve" };
    },
    replay: (...given: unknown[]) => {
      seen.replays.push(given);
      return { name: "replay" };
    },
  };
});

vi.mock("@ndvm/core", async (original) => {
  const real = await original<typeof import("@ndvm/core")>();
  return {
    ...real,
    fit: (program: Parameters<typeof real.fit>[0], options: FitOptions) => {
      seen.fits.push(options);
      if (isInterrupted) process.emit("SIGINT", "SIGINT");
      return real.fit(program, options);
    },
    Machine: {
      create: (options: unknown) => {
        seen.machines.push(options);
        return real.Machine.create(options as Parameters<typeof real.Machine.create>[0]);
      },
    },
  };
});

beforeAll(() => {
  const rows = Array.from({ length: 12 }, (_, i) => `${i},${2 * i + 1},${i % 2},${5 - i},${i + 1}`);
  writeFile("r.csv", `x,y,u,v,n\n${rows.join("\n")}\n`);
  writeFile("seed.scm", "(* a x)");
  writeFile("p.jsonl", '{"source": "(* a x)"}\n');
});
beforeEach(() => {
  for (const list of Object.values(seen)) list.length = 0;
  stopped = "candidates";
  isInterrupted = false;
});
afterEach(() => void vi.useRealTimers());

let studies = 0;
const search = async (...more: string[]) => {
  const named = more.includes("--out") ? [] : ["--out", `r${studies++}.db`];
  return ndvmHere(["search", "--data", "r.csv", "--target", "y", ...named, ...more]);
};
const searched = async (...more: string[]): Promise<SearchOptions> => {
  const { stderr } = await search(...more);
  expect(seen.searches, stderr).toHaveLength(1);
  return seen.searches.pop() as SearchOptions;
};

describe("an option of search", () => {
  /** What a search without options is given, and always. */
  const ALWAYS = ["data", "target", "inputs", "proposers", "archive", "command", "budget"];

  test.each<[string, string, Partial<Record<keyof SearchOptions, unknown>>]>([
    ["--keep", "scored", { keep: "scored" }],
    ["--ops", "+,sin", { operators: ["+", "sin"] }],
    ["--max-complexity", "17", { complexityMax: 17 }],
    ["--seed", "4", { seed: 4 }],
    ["--workers", "3", { workers: 3 }],
    ["--epoch", "5", { epoch: 5 }],
    ["--slots", "6", { slots: 6 }],
    ["--islands", "7", { islands: 7 }],
    ["--precision", "f32", { precision: "f32" }],
    ["--domain", "clamp", { domain: "clamp" }],
    ["--describe", "a cup of tea", { description: "a cup of tea" }],
    ["--hold-out", "11..12", { holdOut: [10, 11] }],
    ["--optimiser", "adam", { recipe: { optimiser: "adam" } }],
    ["--steps", "9", { recipe: { rungs: [{ restarts: 1, steps: 9, share: 1 }] } }],
    ["--restarts", "4", { recipe: { rungs: [{ restarts: 4, steps: 50, share: 1 }] } }],
  ])("%s %s is given to the search, and nothing else with it", async (option, value, wanted) => {
    const { signal, ...given } = await searched(option, value, "--candidates", "5");
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(given).toMatchObject(wanted);
    expect(Object.keys(given).sort()).toEqual([...ALWAYS, ...Object.keys(wanted)].sort());
    expect(given.budget).toEqual({ candidates: 5 });
  });

  test.each<[string[], object]>([
    [[], { seconds: 60 }],
    [["--r2", "0.9"], { seconds: 60, r2: 0.9 }],
    [["--budget", "2m"], { seconds: 120 }],
    [["--candidates", "3"], { candidates: 3 }],
    [["--fits", "4"], { fits: 4 }],
    [["--tokens", "5"], { tokens: 5 }],
    [
      ["--budget", "500ms", "--candidates", "3", "--fits", "4", "--tokens", "5", "--r2", "1"],
      { seconds: 0.5, candidates: 3, fits: 4, tokens: 5, r2: 1 },
    ],
  ])("%j is the budget", async (options, budget) => {
    expect((await searched(...options)).budget).toEqual(budget);
  });

  test("about a language model reaches that model alone", async () => {
    const model = ["--model", "m", "--base-url", "http://h/v1", "--price", "0.5,1.5"];
    const caps = ["--max-cost", "7", "--requests-per-second", "2", "--requests-per-minute", "30"];
    await searched("--proposer", "evolve, llm", ...model, ...caps);
    expect(seen.models).toEqual([
      {
        ...{ model: "m", baseURL: "http://h/v1", prices: { input: 0.5, output: 1.5 } },
        ...{ caps: { cost: 7 }, requestsPerSecond: 2, requestsPerMinute: 30, waits: false },
      },
    ]);
    expect(seen.evolutions).toEqual([{ seeds: [] }]);
    await searched("--proposer", "llm");
    expect(seen.models[1]).toEqual({ waits: true });
  });

  test("about a proposer reaches that proposer", async () => {
    const { proposers } = await searched("--proposer", "replay:p.jsonl,evolve", "--cycles", "3");
    expect(proposers?.map(({ name }) => name)).toEqual(["replay", "evolve"]);
    expect(seen.replays).toMatchObject([[[{ source: "(* a x)" }], { cycles: 3 }]]);
    await searched("--start", "seed.scm", "--start", "seed.scm");
    expect(seen.evolutions.at(-1)).toEqual({ seeds: ["(* a x)", "(* a x)"] });
    expect((await search("--proposer", "evolve,evolve")).stderr).toContain("names evolve twice");
    expect((await search("--proposer", "replay")).stderr).toContain("replay:FILE");
  });

  test("about columns chooses them: all numbers but the target, or those named", async () => {
    expect((await searched()).inputs).toEqual(["x", "u", "v", "n"]);
    const { inputs, data, command } = await searched("--inputs", "v,x", "--where", "(> x 8)");
    expect(inputs).toEqual(["v", "x"]);
    expect(data).toEqual({
      v: Float64Array.of(-4, -5, -6),
      x: Float64Array.of(9, 10, 11),
      y: Float64Array.of(19, 21, 23),
    });
    expect(command).toMatch(/^ndvm search --data r\.csv .* --where '\(> x 8\)'$/);
  });

  test("held-out rows come last in the data, by a draw of the seed, the file's or a test", async () => {
    const rowsOf = ({ data, holdOut }: SearchOptions) =>
      ((holdOut ?? []) as readonly number[]).map((row) => (data["x"] as Float64Array)[row]);
    expect(rowsOf(await searched("--hold-out", "2..4"))).toEqual([1, 2, 3]);
    expect(rowsOf(await searched("--hold-out", "(= u 1)"))).toEqual([1, 3, 5, 7, 9, 11]);
    expect((await searched()).holdOut).toBeUndefined();
    const drawn = async (seed: string) =>
      rowsOf(await searched("--hold-out", "0.5", "--seed", seed)).join();
    const [one, again, other] = [await drawn("1"), await drawn("1"), await drawn("2")];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  test("about missing values is told how many rows are left out, unless it is quiet", async () => {
    const gaps = Array.from({ length: 12 }, (_, i) => `${i},${i % 5 === 3 ? "NA" : 2 * i}`);
    writeFile("missing.csv", `x,y\n${gaps.join("\n")}\n`);
    const args = ["search", "--data", "missing.csv", "--target", "y", "--candidates", "3"];
    const told = await ndvmHere([...args, "--out", "told.db"]);
    expect(told.stderr).toContain("2 of 12 rows have missing values and are left out");
    expect(seen.searches.pop()?.data["x"]).toHaveLength(10);
    const quiet = await ndvmHere([...args, "--out", "quiet.db", "--quiet"]);
    expect(quiet.stderr).not.toContain("missing values");
  });

  test("names the archive; without one the name is the time, and never one that is taken", async () => {
    expect((await searched("--out", "mine.db")).archive).toBe("mine.db");
    vi.useFakeTimers({ now: new Date(2026, 0, 2, 3, 4, 5), toFake: ["Date"] });
    const unnamed = async () => {
      await ndvmHere(["search", "--data", "r.csv", "--target", "y"]);
      return (seen.searches.pop() as SearchOptions).archive;
    };
    for (const name of ["20260102-030405", "20260102-030405-2", "20260102-030405-3"]) {
      expect(await unnamed()).toBe(`study-${name}.db`);
      writeFile(`study-${name}.db`, "");
    }
  });

  test("--resume goes on with a study and needs its name; without it a study is left alone", async () => {
    writeFile("there.db", "");
    expect(await searched("--out", "there.db", "--resume")).toMatchObject({ resume: true });
    expect((await search("--out", "there.db")).stderr).toContain("there.db is there already");
    const { stderr } = await search("--out", "new.db", "--resume");
    expect(stderr).toContain("there is no new.db to go on with: a new study begins");
    const unnamed = await ndvmHere(["search", "--data", "r.csv", "--target", "y", "--resume"]);
    expect(unnamed.stderr).toContain("--out study.db --resume");
    expect(seen.searches).toHaveLength(1);
  });

  test("says by its exit code how it ended, and where the study is", async () => {
    const { code, stderr } = await search("--out", "e.db");
    expect(code).toBe(1);
    expect(stderr).toContain("the study is in e.db: ndvm archive ls e.db");
    expect(stderr).toContain("a page about it: ndvm report e.db");
    stopped = "aborted";
    expect((await search()).code).toBe(130);
    const json = await search("--json");
    expect([json.code, json.stderr]).toEqual([130, ""]);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "done" });
    expect(existsSync(join(folder, "e.db"))).toBe(false);
  });
});

const fitted = async (...more: string[]): Promise<FitOptions> => {
  const { stderr } = await ndvmHere([
    ...["fit", "-e", "(+ a (* b x))", "--data", "r.csv", "--target", "y", "--quiet"],
    ...more,
  ]);
  expect(seen.fits, stderr).toHaveLength(1);
  return seen.fits.pop() as FitOptions;
};

describe("an option of fit", () => {
  const ALWAYS = "data loss onProgress optimiser params restarts seed signal target".split(" ");

  test.each<[string, string, Partial<Record<keyof FitOptions, unknown>>]>([
    ["--optimiser", "lbfgs", { optimiser: "lbfgs" }],
    ["--rate", "0.3 --optimiser adam", { adam: { rate: 0.3 }, optimiser: "adam" }],
    ["--steps", "7", { steps: 7 }],
    ["--restarts", "3", { restarts: 3 }],
    ["--seed", "5", { seed: 5 }],
    ["--time", "30s", { timeMax: 30_000 }],
    ["--together", "2", { together: 2 }],
    ["--level", "90%", { level: 0.9 }],
    ["--loss", "absolute", { loss: "absolute" }],
    ["--huber-width", "0.2 --loss huber", { huberWidth: 0.2, loss: "huber" }],
    ["--likelihood", "", { isNegativeLogLikelihood: true }],
    ["--sigma", "n", { sigma: "n" }],
    ["--weights", "n", { weights: "n" }],
    ["--weights", "2", { weights: new Float64Array(12).fill(2) }],
    ["--trials", "30 --loss binomial", { trials: new Float64Array(12).fill(30), loss: "binomial" }],
    ["--group", "u:a", { groups: { by: "u", params: ["a"] } }],
    ["--param", "a=2", { params: { a: { start: 2 } } }],
    ["--param", "a=1..3", { params: { a: { range: [1, 3] } } }],
    ["--param", " a ", { params: { a: {} } }],
    ["--bound", "a=..3", { params: { a: { bounds: [null, 3] } } }],
    ["--bound", "a=0..", { params: { a: { bounds: [0, null] } } }],
    ["--fix", "a=1", { params: { a: { fixed: 1 } } }],
    ["--set", "a=1", { params: { a: { fixed: 1 } } }],
    ["--log", "b", { params: { b: { scale: "log" } } }],
  ])("%s %s is given to the fit, and nothing else with it", async (option, value, wanted) => {
    // What an option needs stands behind its value.
    const [own = "", ...others] = value.split(/ (?=--)/);
    const needed = others.flatMap((other) => other.split(" "));
    const given = await fitted(option, ...(own === "" ? [] : [own]), ...needed);
    expect(given).toMatchObject(wanted);
    expect(Object.keys(given).sort()).toEqual(
      [...new Set([...ALWAYS, ...Object.keys(wanted)])].sort(),
    );
    expect(given).toMatchObject({ target: "y", ...("params" in wanted ? {} : { params: {} }) });
  });

  test("that is left out has its default", async () => {
    expect(await fitted()).toMatchObject({
      ...{ optimiser: "auto", restarts: 1, seed: 0, loss: "squares", params: {} },
    });
    expect(seen.machines[0]).toEqual({ precision: "f64" });
  });

  test("about the machine makes it so", async () => {
    await fitted("--precision", "f32", "--memory", "64M");
    expect(seen.machines[0]).toEqual({ precision: "f32", memoryMax: 64 * 2 ** 20 });
  });

  test("several targets are given in their order, one as its name", async () => {
    const args = ["fit", "-e", "(vec (* a x) (* b x))", "--data", "r.csv", "--quiet"];
    await ndvmHere([...args, "--target", "v,y"]);
    expect(seen.fits[0]).toMatchObject({ target: ["v", "y"] });
  });

  test("that is interrupted ends with 130 and what it has, and says how to go on", async () => {
    isInterrupted = true;
    const args = ["fit", "-e", "(+ a (* b x))", "--data", "r.csv", "--target", "y"];
    const told = await ndvmHere([...args, "--out", "fit.json"]);
    expect(told.code).toBe(130);
    expect(told.stderr).toContain("wrote fit.json\ngo on with --resume fit.json");
    expect(seen.fits[0]?.signal?.aborted).toBe(true);
    const quiet = await ndvmHere([...args, "--out", "fit.json", "--quiet"]);
    expect([quiet.code, quiet.stderr]).toEqual([130, ""]);
    expect((await ndvmHere(args)).stderr).not.toContain("--resume");
    isInterrupted = false;
    const whole = await ndvmHere([...args, "--out", "fit.json"]);
    expect(whole.stderr).not.toContain("--resume");
    expect(whole.code).toBe(0);
  });

  test("whose model cannot be exported ends with 1, one that has not converged with 3", async () => {
    const loop = "(loop ((i 0) (s 0)) (if (< i x) (recur (+ i 1) (+ s a)) s))";
    const args = ["--data", "r.csv", "--target", "y", "--quiet"];
    const refused = await ndvmHere(["fit", "-e", loop, ...args, "--export", "latex"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("E-REFUSED")]);
    const decay = "(* a (exp (* b x)))";
    const hasty = ["--steps", "1", "--param", "b=-1", "--optimiser", "adam"];
    expect((await ndvmHere(["fit", "-e", decay, ...args, ...hasty])).code).toBe(3);
  });

  test("--hold-out tells each score of the rows held out under its own name", async () => {
    const y = Array.from({ length: 12 }, (_, i) => 2 * i + 1 + Math.sin(5 * i));
    writeFile("noisy.csv", `x,y\n${y.map((value, i) => `${i},${value}`).join("\n")}\n`);
    const { stdout } = await ndvmHere([
      ...["fit", "-e", "(+ a (* b x))", "--data", "noisy.csv", "--target", "y", "--json"],
      ...["--fix", "a=1", "--param", "b=2", "--bound", "b=2..2.0000001", "--hold-out", "8..12"],
    ]);
    const held = y.slice(7).map((value, i) => ({ value, missed: value - (2 * (i + 7) + 1) }));
    const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
    const squares = mean(held.map(({ missed }) => missed ** 2));
    const middle = mean(held.map(({ value }) => value));
    const [score] = JSON.parse(stdout).heldOut;
    expect(score).toMatchObject({ target: "y", rows: 5 });
    expect(score.rmse).toBeCloseTo(Math.sqrt(squares), 4);
    expect(score.mae).toBeCloseTo(mean(held.map(({ missed }) => Math.abs(missed))), 4);
    expect(score.r2).toBeCloseTo(
      1 - squares / mean(held.map((one) => (one.value - middle) ** 2)),
      4,
    );
    expect(score.loss).toBeCloseTo(squares, 4);
  });

  test("that leaves out too many rows is counted: by a test, as missing, and held out", async () => {
    const gaps = Array.from({ length: 12 }, (_, i) => `${i},${2 * i + 1},${i === 3 ? "NA" : 1}`);
    writeFile("gaps.csv", `x,y,n\n${gaps.join("\n")}\n`);
    const { stderr } = await ndvmHere([
      ...["fit", "-e", "(+ a (* b x) (* c x x n))", "--data", "gaps.csv", "--target", "y"],
      ...["--where", "(< x 5)", "--hold-out", "1..2"],
    ]);
    expect(stderr).toContain("there are 2 points for 3 parameters");
    expect(stderr).toContain("10 of 12 rows are left out; give more rows");
  });

  test("that asks for no file writes none", async () => {
    const before = readdirSync(folder).sort();
    await fitted();
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
