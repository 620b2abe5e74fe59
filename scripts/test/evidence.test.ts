/**
 * The evidence: statistics of known samples, a stager that is held against the machine, and a page that
 * is a function of its results and of nothing else.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Machine } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { searchNames, writeOut } from "../../evidence/baselines/rewrite.js";
import {
  type LaneCall,
  laneSource,
  makeFunction,
} from "../../evidence/baselines/staging/javascript.js";
import { stage } from "../../evidence/baselines/staging/stage.js";
import { instantiate } from "../../evidence/baselines/staging/wasm.js";
import { structureOf } from "../../evidence/experiments/cached.js";
import { partsOf } from "../../evidence/experiments/phase0.js";
import { CHECKPOINTS, summarise } from "../../evidence/experiments/streams.js";
import { readOptions } from "../../evidence/harness/options.js";
import { quantile, statisticsOf, uniforms } from "../../evidence/harness/statistics.js";
import {
  type Experiment,
  isMissing,
  measurement,
  Recorder,
  type Results,
  readResults,
  toText,
} from "../../evidence/harness/store.js";
import type { Block } from "../../evidence/page/blocks.js";
import { chartSvg } from "../../evidence/page/chart.js";
import { checkClaim } from "../../evidence/page/claims/claim.js";
import { claims } from "../../evidence/page/claims/index.js";
import { doubtsOf, makePage, sections } from "../../evidence/page/page.js";
import { Quote, short } from "../../evidence/page/quote.js";
import { problemsOf, refresh } from "../../evidence/page/references.js";
import { five, inputsOf, namesOf } from "../../evidence/programs.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "evidence");
const committed = readResults(join(folder, "results"));

const resultsOf = (entries: Experiment["entries"], experiment = "suite"): Results => ({
  manifest: {},
  experiments: new Map([[experiment, { experiment, conditions: {}, entries }]]),
});

describe("statistics", () => {
  test("of 1 to 10 are those that R prints", () => {
    const found = statisticsOf([3, 1, 2, 10, 9, 8, 7, 6, 5, 4]);
    expect(found).toMatchObject({ count: 10, minimum: 1, low: 3.25, median: 5.5, high: 7.75 });
    expect(found.mean).toBe(5.5);
    expect(found.cv).toBeCloseTo(3.0276503540974917 / 5.5, 12);
  });

  test("of one sample have no spread", () => {
    expect(statisticsOf([7])).toMatchObject({ median: 7, cv: 0, interval: [7, 7] });
  });

  test("need a sample", () => {
    expect(() => statisticsOf([])).toThrow("at least one sample");
  });

  test("interpolate quantiles as R's type 7", () => {
    expect(quantile([1, 2, 4, 8], 0.5)).toBe(3);
    expect(quantile([1, 2, 4, 8], 0.9)).toBeCloseTo(6.8, 12);
  });

  test("give the same bootstrap interval each time, around the median", () => {
    const samples = Array.from({ length: 40 }, (_, i) => 10 + Math.sin(i));
    const { interval, median } = statisticsOf(samples);
    expect(statisticsOf(samples).interval).toEqual(interval);
    expect(interval[0]).toBeLessThan(median);
    expect(interval[1]).toBeGreaterThan(median);
  });

  test("cover the true median in about 95 of 100 draws", () => {
    const next = uniforms(3);
    let covered = 0;
    for (let draw = 0; draw < 200; draw++) {
      const [low, high] = statisticsOf(Array.from({ length: 25 }, next)).interval;
      if (low <= 0.5 && 0.5 <= high) covered += 1;
    }
    expect(covered).toBeGreaterThan(175);
    expect(covered).toBeLessThan(200);
  });
});

describe("results", () => {
  test("keep raw samples on one line and read back as they were", () => {
    const recorder = new Recorder("suite");
    recorder.samples("a/b", "µs", [1.5, 2.25, 3], "3 calls");
    recorder.missing("a/c", "there is no g++ here");
    const text = toText(recorder.result());
    expect(text).toContain("[1.5, 2.25, 3]");
    expect(JSON.parse(text)).toEqual(recorder.result());
  });

  test("say what is missing where no sample is finite", () => {
    const recorder = new Recorder("suite");
    recorder.samples("a", "µs", [Number.NaN]);
    expect(recorder.result().entries["a"]).toEqual({ missing: "no finite sample came of it" });
  });

  test("refuse a time that is none", () => {
    expect(() => readOptions(["--minutes", "soon"])).toThrow("positive number");
  });
});

describe("the stager agrees with the machine on", () => {
  const programs: readonly (readonly [string, string])[] = [
    ["a formula", "(/ (* a (exp (- b))) (+ 1.5 (* b b)))"],
    ["functions", "(+ (sin a) (* (cos b) (sqrt (+ 2.0 a))) (abs (- a b)) (log (+ 3.0 b)))"],
    ["bindings", "(let* ((c (* a b)) (d (+ c a))) (* c d d))"],
    ["a branch", "(if (< a b) (* a a b) (- b (/ a 3.0)))"],
    ["a parameter on one side only", "(if (< a 100.0) (* a 2.0) b)"],
    ["a loop", "(loop ((x a) (k 0)) (if (= k 5) x (recur (* b (* x (- 1.0 x))) (+ k 1))))"],
    [
      "a loop that goes on both ways",
      "(loop ((x a) (k 0)) (if (= k 6) x (if (< x 0.5) (recur (* b x) (+ k 1)) (recur (* b (- 1.0 x)) (+ k 1)))))",
    ],
    [
      "a loop whose variables change places",
      "(loop ((x a) (y b) (k 0)) (if (= k 3) (- x y) (recur y (+ x (* 0.5 y)) (+ k 1))))",
    ],
    [
      "a variable that only the result reads",
      "(loop ((x a) (last 0.0) (k 0)) (if (= k 4) last (recur (* x b) (+ x 1.0) (+ k 1))))",
    ],
    [
      "a loop in a loop",
      "(loop ((x a) (k 0)) (if (= k 3) x (recur (loop ((y x) (j 0)) (if (= j 2) y (recur (sin (* b y)) (+ j 1)))) (+ k 1))))",
    ],
    [
      "a loop after a loop",
      "(* (loop ((x a) (k 0)) (if (= k 3) x (recur (* x b) (+ k 1)))) (loop ((x b) (k 0)) (if (= k 2) x (recur (+ x a) (+ k 1)))))",
    ],
    [
      "matrices",
      "(let* ((M (mat (vec a 0.3) (vec b 2.5))) (v (vec b 1.0))) (+ (det M) (dot v (matvec (inv M) v))))",
    ],
  ];

  test.each(programs)("%s", async (_, source) => {
    const machine = await Machine.create({ precision: "f64" });
    const program = machine.load(source);
    const wrt = ["a", "b"].filter((name) => program.inputs.includes(name));
    const staged = stage(source, { wrt });
    const call = makeFunction<LaneCall>(laneSource(staged, ["a", "b"], [], ["a", "b"]), new Map());
    const options = { order: ["a", "b"], wrt: ["a", "b"], lanesMost: 1, arrays: new Map() };
    const wasm = instantiate(staged, { ...options, isSimd: false });
    fc.assert(
      fc.property(
        fc.double({ min: 0.2, max: 0.9, noNaN: true }),
        fc.double({ min: 0.3, max: 1.9, noNaN: true }),
        (a, b) => {
          // One branch for f32 and f64: points at which they may part say nothing.
          fc.pre(Math.abs(a - b) > 1e-3 && !isNearBend(source, a, b));
          const { values, gradients } = program.gradient({ a, b }, { wrt });
          const wanted = [values[0], gradients["a"]?.[0], gradients["b"]?.[0]] as number[];
          const out = [0, 1, 2].map(() => new Float64Array(1));
          call(1, [Float64Array.of(a), Float64Array.of(b)], out);
          (wasm.inputs[0] as Float32Array)[0] = a;
          (wasm.inputs[1] as Float32Array)[0] = b;
          wasm.run(1);
          wanted.forEach((want, i) => {
            const size = 1 + Math.abs(want);
            expect(Math.abs((out[i]?.[0] as number) - want) / size).toBeLessThan(1e-9);
            expect(Math.abs((wasm.outputs[i]?.[0] as number) - want) / size).toBeLessThan(2e-3);
          });
        },
      ),
      { numRuns: 60, seed: 5 },
    );
    machine.dispose();
  });

  /** Whether a state of the tent comes near the point where its branch flips. */
  function isNearBend(source: string, a: number, b: number): boolean {
    if (!source.includes("(< x 0.5)")) return false;
    let x = a;
    for (let k = 0; k < 6; k++) {
      if (Math.abs(x - 0.5) < 1e-3) return true;
      x = x < 0.5 ? b * x : b * (1 - x);
    }
    return false;
  }

  test("four lanes at once have the values of one", () => {
    const source = "(loop ((x a) (k 0)) (if (= k 5) x (recur (* b (sin x)) (+ k 1))))";
    const staged = stage(source, { wrt: ["a", "b"] });
    const options = { order: ["a", "b"], wrt: ["a", "b"], lanesMost: 8, arrays: new Map() };
    const [one, four] = [false, true].map((isSimd) => instantiate(staged, { ...options, isSimd }));
    for (const program of [one, four]) {
      program?.inputs[0]?.set([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
      program?.inputs[1]?.fill(1.2);
      program?.run(8);
    }
    expect(four?.outputs).toEqual(one?.outputs);
  });

  test("a program outside its language is refused", () => {
    expect(() => stage("(map sin (list a))", { wrt: ["a"] })).toThrow("the stager has no");
    const apart = stage("(if (< a 0.5) a 1.0)", { wrt: ["a"] });
    const options = { order: ["a"], wrt: ["a"], lanesMost: 4, arrays: new Map(), isSimd: true };
    expect(() => instantiate(apart, options)).toThrow("lanes may part");
  });
});

describe("rewritten programs", () => {
  test("search the names in scope, innermost first", () => {
    expect(searchNames("(let ((x a)) (* x b))", ["a", "b"])).toBe(
      "(let ((x (begin (if (= 1 0) #t (if (= 0 0) #t #f)) a))) (* (begin (if (= 2 2) #t #f) x) (begin (if (= 2 1) #t (if (= 1 1) #t #f)) b)))",
    );
  });

  test("have the steps of a loop one inside the other", () => {
    expect(writeOut("(loop ((x a) (k 0)) (if (= k 1) x (recur (* 2.0 x) (+ k 1))))", 1)).toBe(
      "(let ((x a) (k 0)) (if (= k 1) x (let ((x (* 2.0 x)) (k (+ k 1))) (if (= k 1) x (* 2.0 x)))))",
    );
  });

  test.each(five.map((one) => [one.title, one] as const))(
    "of the %s have its bits",
    async (_, one) => {
      const machine = await Machine.create({ precision: "f32" });
      const wrt = [...namesOf(one)];
      const runOf = (source: string) => {
        const program = machine.load(source);
        const { values, gradients, stats } = program.gradient(inputsOf(one, 8), {
          wrt,
          replay: false,
        });
        program.dispose();
        return { bits: [values, ...wrt.map((name) => gradients[name])], steps: stats.steps };
      };
      const plain = runOf(one.source);
      const searched = runOf(searchNames(one.source, [...wrt, ...Object.keys(one.matrices)]));
      expect(searched.bits).toEqual(plain.bits);
      expect(searched.steps).toBeGreaterThan(4 * plain.steps);
      expect(runOf(writeOut(one.source, one.steps))).toEqual(plain);
      machine.dispose();
    },
  );
});

describe("streams", () => {
  test("are summed up at the paper's checkpoints", () => {
    const events = [
      [0.5, 3, 0.2, 0.4],
      [2, 4, null, 1.8],
      [15, 3, 0.95, 14],
      [100, 7, 0.93, 90],
      [899, 3, 0.97, 800],
      [960, 8, 0.99, 840],
    ] as const;
    const found = summarise(events, 900);
    expect(found).toMatchObject({ fits: 5, first: 15, successes: 2, best: 0.97 });
    // The fit that ran out of time counts for what a fit takes, and for nothing else.
    expect(found).toMatchObject({ firstBusy: 14, seconds: 160, busy: 140 });
    expect(found.curve).toHaveLength(CHECKPOINTS.length);
    expect(found.curve[0]).toBe(0.2);
    expect(found.curve[CHECKPOINTS.indexOf(20)]).toBe(0.95);
  });

  test("without a score have none", () => {
    expect(summarise([[1, 0, null, 1]], 900)).toMatchObject({ first: undefined, best: undefined });
  });

  test("a structure forgets numbers and names of parameters", () => {
    const one = { source: "(+ (* a x) 1.5)", params: ["a", "b"] };
    expect(structureOf(one)).toBe(structureOf({ source: "(+ (* b x) 2)", params: ["a", "b"] }));
    expect(structureOf(one)).not.toBe(structureOf({ source: "(* (+ a x) 1)", params: ["a"] }));
  });
});

describe("verdicts", () => {
  const claim = {
    label: "tab:wallclock",
    words: "",
    paper: "",
    range: [2, 4],
    better: "higher",
    reason: "",
    figure: (q: Quote) => q.figure("suite#a"),
  } as const;
  const verdictAt = (value: number | undefined, better?: "higher" | "lower") => {
    const entries: Experiment["entries"] =
      value === undefined ? {} : { a: measurement("R²", [value]) };
    const { better: _, ...rest } = claim;
    const used = better === undefined ? rest : { ...rest, better };
    return checkClaim(new Quote(resultsOf(entries)), used).verdict;
  };

  test("come from the figure and the range", () => {
    expect(verdictAt(3, "higher")).toBe("confirmed");
    expect(verdictAt(9, "higher")).toBe("surpassed");
    expect(verdictAt(1, "higher")).toBe("contradicted");
    expect(verdictAt(1, "lower")).toBe("surpassed");
    expect(verdictAt(9)).toBe("contradicted");
    expect(verdictAt(undefined, "higher")).toBe("not testable here");
  });

  test("are given for every label of a claim in its section", () => {
    const labels = sections.map(({ label }) => label);
    expect(claims.filter(({ label }) => !labels.includes(label))).toEqual([]);
  });
});

describe("parts of our own time", () => {
  const frame = (functionName: string) => ({
    functionName,
    scriptId: "0",
    url: "",
    lineNumber: 0,
    columnNumber: 0,
  });
  const node = (id: number, name: string, children: number[] = []) => ({
    id,
    callFrame: frame(name),
    children,
  });

  test("are told by the names on a stack, every sample once", () => {
    const names: [string, number[]][] = [
      ["(root)", [2, 3, 12]],
      ["(idle)", []],
      ["call", [4, 6, 8, 10]],
      ["readText", [5]],
      ["wasm/memory/arena/allocate", []],
      ["wasm/clients/scheme/walk/pushOperands", [7]],
      ["wasm/tape/payload/newPayload", []],
      ["wasm/replay/replay/forward", [9]],
      ["wasm/linalg/matmul/matmulForward", []],
      ["wasm/replay/replay/backward", [11]],
      ["wasm/math/log32/logF", []],
      ["(garbage collector)", []],
    ];
    const nodes = names.map(([name, children], i) => node(i + 1, name, children));
    const samples = nodes.map(({ id }) => id);
    expect(partsOf({ nodes, samples, startTime: 0, endTime: 1 })).toEqual({
      reading: 2,
      walking: 1,
      structure: 1,
      kernels: 1,
      replay: 1,
      backward: 2,
      boundary: 3,
    });
  });
});

describe("doubts about a run", () => {
  const experiment = (name: string, commit: string): Experiment => ({
    experiment: name,
    conditions: { commit },
    entries: {},
  });
  const doubts = (commit: string | undefined, ...all: Experiment[]) =>
    doubtsOf({
      manifest: commit === undefined ? {} : { commit },
      experiments: new Map(all.map((one) => [one.experiment, one])),
    });

  test("are told on the page: no commit, changed files, several runs", () => {
    expect(doubts("abc", experiment("suite", "abc"))).toEqual([]);
    expect(doubts(undefined)).toHaveLength(1);
    expect(doubts("abc with changes", experiment("suite", "abc with changes"))).toHaveLength(1);
    expect(doubts("abc", experiment("suite", "def"))[0]).toContain("suite (def)");
  });
});

/** Labels of the paper, and what it measures without one. */
const LABELS =
  "tab:wallclock fig:batch_independence fig:cost_decomposition tab:boxing tab:alloc tab:decomp fig:decomposition tab:native-boxed tab:jax-staged fig:amortization fig:multicore tab:phases tab:fuzz-coverage tab:second-client tab:cosearch fig:cosearch tab:adjoints tab:implemented tab:artifact"
    .split(" ")
    .concat(
      "cached staging",
      "compiled ceiling",
      "per-lane sweep",
      "recurrence task",
      "variance",
      "D1–D6",
    );

describe("the page", () => {
  const page = makePage(committed);

  test("has a section for every label of the paper", () => {
    for (const label of LABELS) expect(page.markdown).toContain(`(${label})`);
  });

  test("is made again from its results, byte for byte", () => {
    expect(page.markdown).toBe(readFileSync(join(folder, "EVIDENCE.md"), "utf8"));
    for (const [name, svg] of page.figures)
      expect(readFileSync(join(folder, "figures", `${name}.svg`), "utf8")).toBe(svg);
  });

  const runs = readdirSync(join(folder, "runs"));

  test.each(runs)("of the run %s is made again from its results, byte for byte", (name) => {
    const run = join(folder, "runs", name);
    const made = makePage(readResults(join(run, "results")));
    expect(made.markdown).toBe(readFileSync(join(run, "EVIDENCE.md"), "utf8"));
    for (const [figure, svg] of made.figures)
      expect(readFileSync(join(run, "figures", `${figure}.svg`), "utf8")).toBe(svg);
  });

  test("of a run that is kept is made of its results, and the old ones are gone", () => {
    const place = mkdtempSync(join(tmpdir(), "ndvm-evidence-kept-"));
    const main = ["--import", "./scripts/register-typescript.mjs", "evidence/main.ts"];
    const keep = (from: string) =>
      spawnSync(process.execPath, [...main, "--from", from, "--out", join(place, "kept")], {
        cwd: root,
        encoding: "utf8",
      });
    try {
      const archive = join(place, "run.tar.gz");
      execFileSync("tar", ["-czf", archive, "-C", root, "evidence/results"]);
      mkdirSync(join(place, "kept/results"), { recursive: true });
      writeFileSync(join(place, "kept/results/old.json"), "{}");
      expect(keep(archive).stderr).toBe("");
      expect(readFileSync(join(place, "kept/EVIDENCE.md"), "utf8")).toBe(page.markdown);
      expect(existsSync(join(place, "kept/results/old.json"))).toBe(false);
      const part = join(place, "part/results");
      mkdirSync(part, { recursive: true });
      cpSync(join(folder, "results/manifest.json"), join(part, "manifest.json"));
      expect(keep(join(place, "part")).stderr).toContain("it is not whole");
      expect(() => readOptions(["--from", archive])).toThrow("--out");
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  test("lists times with fewer samples than the paper takes, and how they were taken", () => {
    const few = makePage(resultsOf({ "a/b": measurement("µs", [1, 2], "one takes minutes") }));
    expect(few.markdown).toContain("- suite: 1 with 2 samples (one takes minutes)");
  });

  test("has no figure without samples behind it", () => {
    const figures = page.quote.quoted.filter(({ value }) => value !== undefined);
    expect(figures.length).toBeGreaterThan(500);
    for (const { from } of figures) {
      expect(from.length).toBeGreaterThan(0);
      for (const ref of from) {
        const [experiment, key] = ref.split(/#(.*)/s) as [string, string];
        const entry = committed.experiments.get(experiment)?.entries[key];
        if (entry === undefined || isMissing(entry)) throw new Error(`${ref} has no samples`);
        expect(entry.statistics).toEqual(statisticsOf(entry.samples));
      }
    }
  });

  test("has no figure of speed that was written by hand", () => {
    const speed = /\d[\d.,]*\s?(×|µs|ms\b|%)/;
    const isPaper = (words: string) => /paper|Paper/.test(words);
    for (const [label, blocks] of page.blocks)
      for (const words of writtenIn(blocks))
        if (!isPaper(words) && label !== "claims" && !words.startsWith("- *"))
          expect(words, label).not.toMatch(speed);
  });

  test("changes with its samples", () => {
    const slower = (entry: Experiment["entries"][string]) =>
      isMissing(entry)
        ? entry
        : measurement(
            entry.unit,
            entry.samples.map((x) => 1.7 * x),
          );
    const experiments = new Map(
      [...committed.experiments].map(([name, one]) => [
        name,
        {
          ...one,
          entries: Object.fromEntries(
            Object.entries(one.entries).map(([key, entry]) => [key, slower(entry)]),
          ),
        },
      ]),
    );
    const { quote } = makePage({ ...committed, experiments });
    const before = page.quote.quoted.map(({ text }) => text);
    const changed = quote.quoted.filter(({ text }, i) => text !== before[i]);
    // Ratios and flags stay as they are.
    expect(changed.length).toBeGreaterThan(0.3 * before.length);
  });

  test("labels every gap with its reason", () => {
    const empty = makePage({ manifest: {}, experiments: new Map() });
    for (const label of LABELS) expect(empty.markdown).toContain(`(${label})`);
    expect(empty.quote.quoted.every(({ text }) => text.startsWith("— ("))).toBe(true);
  });

  test("draws what there is and says where there is nothing", () => {
    const base = { title: "t", x: "x", y: "y" };
    expect(chartSvg({ ...base, lines: [] })).toContain("nothing was measured");
    const svg = chartSvg({
      ...base,
      isLogX: true,
      lines: [
        {
          name: "a<b",
          points: [
            [1, 2],
            [10, 3],
          ],
        },
      ],
    });
    expect(svg).toContain("a&lt;b");
    expect(svg).toContain("<polyline");
  });

  function writtenIn(blocks: readonly Block[]): string[] {
    return blocks.flatMap((block) => {
      if (block.kind === "text") return block.of.filter((part) => typeof part === "string");
      if (block.kind !== "table") return [];
      return block.rows.flatMap((row) => {
        const named = row.map((cell, i) =>
          typeof cell === "string" ? `${block.head[i] ?? ""} ${cell}` : "",
        );
        return named.slice(1);
      });
    });
  }
});

describe("the manifest", () => {
  test("tells the computer and the versions, and no name or path of it", () => {
    const { manifest } = committed;
    for (const name of ["CPU", "cores", "Node", "commit", "date", "g++", "Python"])
      expect(manifest).toHaveProperty([name]);
    expect(JSON.stringify(manifest)).not.toMatch(/\/(home|root|tmp|work|usr)\//);
  });
});

describe("figures in other pages", () => {
  const results = resultsOf({ "a/b": measurement("µs", [24, 25]), c: measurement("R²", [5]) });

  test("are written from the results", () => {
    const page = "It takes <!-- evidence: suite#a/b; times 0.001 -->?<!-- / --> ms.";
    const fresh = refresh(page, results);
    expect(fresh).toContain(`-->${short(0.024)}<!-- / -->`);
    expect(problemsOf(fresh, results)).toEqual([]);
    expect(problemsOf(page, results)).toHaveLength(1);
  });

  test("may be ratios", () => {
    const page = refresh("<!-- evidence: suite#a/b; over suite#c --><!-- / -->", results);
    expect(page).toContain(">4.80<");
  });

  test("that come from nowhere are found, but not in what a command printed", () => {
    expect(problemsOf("It takes 25 µs.", results)).toEqual(["25 µs: comes from nowhere"]);
    expect(problemsOf("    lm, converged in 4.2 ms", results)).toEqual([]);
    expect(problemsOf("The paper's boundary\ntakes 630 µs. Ours is another.", results)).toEqual([]);
    expect(problemsOf("The paper's is slow. Ours takes 5 µs.", results)).toHaveLength(1);
    expect(problemsOf("<!-- evidence: suite#x -->1<!-- / -->", results)).toHaveLength(1);
  });

  test("of the README come from the results that are committed", () => {
    expect(problemsOf(readFileSync(join(root, "README.md"), "utf8"), committed)).toEqual([]);
  });

  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));

  test.each(docs)("of docs/%s come from the results that are committed", (name) => {
    expect(problemsOf(readFileSync(join(root, "docs", name), "utf8"), committed)).toEqual([]);
  });

  test("are committed with their results", () => {
    expect(existsSync(join(folder, "results/manifest.json"))).toBe(true);
    expect(committed.experiments.size).toBeGreaterThan(15);
  });
});
