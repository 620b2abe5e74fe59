/**
 * Structure-cached staging: six families of formulas, each with r settings of its constants. Four
 * conditions, as in the paper: stage every candidate; stage every structure once; the machine,
 * program by program; the machine, settings as lanes (restarts of one fit).
 */

import { fit as calibrate } from "@ndvm/core";
import { machines } from "../baselines/backends.js";
import type { StreamCandidate } from "../baselines/external.js";
import {
  type Columns,
  machineFitter,
  normals,
  runStaged,
  runWasm,
  STEPS_OF_FIT,
  stageFit,
  stageWasm,
} from "../baselines/fits.js";
import { NO_CORPUS, readStream } from "../corpus.js";
import type { Context, Definition } from "../harness/context.js";

export const FAMILIES: readonly (StreamCandidate & { readonly name: string })[] = [
  { name: "linear", source: "(+ (* a x) b)", params: ["a", "b"] },
  { name: "quadratic", source: "(+ (* a (* x x)) (+ (* b x) c))", params: ["a", "b", "c"] },
  { name: "exponential decay", source: "(* a (exp (* (- 0.0 b) x)))", params: ["a", "b"] },
  {
    name: "damped oscillator",
    source: "(* a (* (exp (* (- 0.0 b) x)) (cos (* c x))))",
    params: ["a", "b", "c"],
  },
  { name: "Michaelis–Menten", source: "(/ (* a x) (+ (+ 2.0 b) x))", params: ["a", "b"] },
  { name: "sine and line", source: "(+ (sin (* a x)) (* b x))", params: ["a", "b"] },
];

export const REUSES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
export const CONDITIONS = [
  "staged each, JavaScript",
  "staged once, JavaScript",
  "staged each, WebAssembly",
  "staged once, WebAssembly",
  "ndvm, programs",
  "ndvm, lanes",
] as const;

export function columns(): Columns {
  const normal = normals(7);
  const make = (count: number) => {
    const x = Float64Array.from({ length: count }, (_, i) => 0.1 + (5.9 * i) / (count - 1));
    const y = x.map((each) => Math.exp(-0.3 * each) * Math.cos(2 * each) + 0.02 * normal());
    return { x, y };
  };
  const train = make(44);
  const held = make(20);
  return { ...train, heldX: held.x, heldY: held.y };
}

const startsOf = ({ params }: StreamCandidate, setting: number): number[] => {
  const normal = normals(1 + 97 * setting);
  return params.map(() => 0.3 * normal());
};

type Way = (reuse: number, data: Columns) => Promise<void> | void;
const settings = (reuse: number) => Array.from({ length: reuse }, (_, i) => i);
const byProgram = machineFitter(machines.single);
let salt = 0;

const ways: Readonly<Record<(typeof CONDITIONS)[number], Way>> = {
  "staged each, JavaScript": (reuse, data) => {
    for (const family of FAMILIES)
      for (const setting of settings(reuse))
        runStaged(stageFit(family, salt++), startsOf(family, setting), data);
  },
  "staged once, JavaScript": (reuse, data) => {
    for (const family of FAMILIES) {
      const staged = stageFit(family, salt++);
      for (const setting of settings(reuse)) runStaged(staged, startsOf(family, setting), data);
    }
  },
  "staged each, WebAssembly": (reuse, data) => {
    for (const family of FAMILIES)
      for (const setting of settings(reuse))
        runWasm(stageWasm(family, data.x.length), startsOf(family, setting), data);
  },
  "staged once, WebAssembly": (reuse, data) => {
    for (const family of FAMILIES) {
      const staged = stageWasm(family, data.x.length);
      for (const setting of settings(reuse)) runWasm(staged, startsOf(family, setting), data);
    }
  },
  "ndvm, programs": async (reuse, data) => {
    for (const family of FAMILIES)
      for (const setting of settings(reuse))
        await byProgram(family, startsOf(family, setting), data);
  },
  "ndvm, lanes": async (reuse, data) => {
    for (const family of FAMILIES) {
      const program = machines.single.load(family.source, { domain: "clamp" });
      await calibrate(program, {
        data: { x: data.x, y: data.y },
        target: "y",
        params: Object.fromEntries(family.params.map((name) => [name, { range: [-0.6, 0.6] }])),
        optimiser: "adam",
        steps: STEPS_OF_FIT,
        restarts: reuse,
        seed: 1,
        detail: "scores",
      });
      program.dispose();
    }
  },
};

/** All conditions must come to the same scores before they are timed. */
async function agree({ recorder }: Context, data: Columns): Promise<void> {
  for (const family of FAMILIES) {
    const starts = startsOf(family, 3);
    const scores = [
      runStaged(stageFit(family, salt++), starts, data).score,
      runWasm(stageWasm(family, data.x.length), starts, data).score,
      (await byProgram(family, starts, data))?.score ?? Number.NaN,
    ];
    const apart = Math.max(...scores) - Math.min(...scores);
    recorder.count(`${family.name}/R² apart`, apart, "R²", "at most 1e-3");
    if (!(apart <= 1e-3)) throw new Error(`${family.name}: scores ${scores.join(", ")}`);
  }
}

/** Programs that differ in numbers and names of parameters only have one structure. */
export function structureOf({ source, params }: StreamCandidate): string {
  const names = new Map<string, string>();
  return source.replace(/[^\s()]+/g, (word) => {
    if (!Number.isNaN(Number(word))) return "C";
    if (!params.includes(word)) return word;
    if (!names.has(word)) names.set(word, `P${names.size}`);
    return names.get(word) as string;
  });
}

/** How often a cache of structures is hit on the paper's two streams, each read once. */
function hitRates({ recorder }: Context): void {
  for (const name of ["flat", "rec"] as const) {
    const stream = readStream(name);
    if (stream === undefined) {
      recorder.missing(`stream ${name}/hit rate`, NO_CORPUS);
      continue;
    }
    const { candidates } = stream;
    const structures = new Set(candidates.map(structureOf)).size;
    recorder.count(`stream ${name}/programs`, candidates.length);
    recorder.count(`stream ${name}/structures`, structures);
    recorder.count(`stream ${name}/hit rate`, 100 * (1 - structures / candidates.length), "%");
  }
}

const ROUNDS = 12;
/** A sample of many settings is the mean of many candidates and takes seconds. */
const roundsOf = (reuse: number): number =>
  Math.max(3, Math.min(ROUNDS, Math.floor((32 * ROUNDS) / reuse)));

export const cached: Definition = {
  name: "cached",
  weight: 3,
  async run(context) {
    const { recorder } = context;
    const data = columns();
    recorder.condition("fit", "50 Adam steps over 44 points, score on 20, six families");
    await agree(context, data);
    hitRates(context);
    const reuses = context.amount<readonly number[]>(REUSES, [1, 8, 64]);
    const samples = new Map<string, number[]>();
    for (const condition of CONDITIONS) await ways[condition](1, data);
    for (let round = 0; round < context.amount(ROUNDS, 2); round++)
      for (const reuse of reuses) {
        if (round >= roundsOf(reuse)) continue;
        for (const condition of CONDITIONS) {
          const key = `${reuse}/${condition}`;
          const started = performance.now();
          await ways[condition](reuse, data);
          const took = (performance.now() - started) * 1000;
          samples.set(key, [...(samples.get(key) ?? []), took / (reuse * FAMILIES.length)]);
        }
      }
    for (const [key, found] of samples) {
      const candidates = Number(key.split("/")[0]) * FAMILIES.length;
      const how = `a candidate, the mean of ${candidates} a sample`;
      recorder.samples(key, "µs", found, how);
    }
    for (const reuse of reuses)
      recorder.count(`${reuse}/hit rate`, 100 * (1 - 1 / reuse), "%", "stagings that were found");
  },
};
