/**
 * Results as plain data: one JSON file an experiment, and the manifest of the run.
 *
 *   { experiment, conditions: { … words … }, entries: { key: Measurement | Missing } }
 *
 * A key is a path of words ("kalman/forward/staged wasm"). A measurement holds its raw samples; a
 * count has one sample. What the computer lacks is an entry that says what is missing.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Statistics, statisticsOf } from "./statistics.js";

export interface Measurement {
  readonly unit: string;
  /** How the samples were taken: calls a sample, flags, tolerances. */
  readonly how?: string;
  readonly samples: readonly number[];
  readonly statistics: Statistics;
}

export interface Missing {
  readonly missing: string;
}

export type Entry = Measurement | Missing;

export interface Experiment {
  readonly experiment: string;
  /** What was run, in words: amounts, flags, versions. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly entries: Readonly<Record<string, Entry>>;
}

export const isMissing = (entry: Entry): entry is Missing => "missing" in entry;

/** Six significant digits: what a clock tells. */
const rounded = (sample: number): number => Number(sample.toPrecision(6));

export function measurement(unit: string, samples: readonly number[], how?: string): Measurement {
  const kept = samples.map(rounded);
  return {
    unit,
    ...(how === undefined ? {} : { how }),
    samples: kept,
    statistics: statisticsOf(kept),
  };
}

/** Collects the entries of one experiment. */
export class Recorder {
  readonly #entries = new Map<string, Entry>();
  readonly #conditions = new Map<string, string>();

  constructor(readonly experiment: string) {}

  condition(name: string, words: string): void {
    this.#conditions.set(name, words);
  }

  samples(key: string, unit: string, samples: readonly number[], how?: string): void {
    const finite = samples.filter((sample) => Number.isFinite(sample));
    if (finite.length === 0) this.missing(key, "no finite sample came of it");
    else this.#entries.set(key, measurement(unit, finite, how));
  }

  count(key: string, value: number, unit = "count", how?: string): void {
    this.samples(key, unit, [value], how);
  }

  missing(key: string, reason: string): void {
    this.#entries.set(key, { missing: reason });
  }

  result(): Experiment {
    return {
      experiment: this.experiment,
      conditions: Object.fromEntries(this.#conditions),
      entries: Object.fromEntries(this.#entries),
    };
  }
}

/** Indented, with the samples of a measurement on one line. */
export function toText(value: unknown): string {
  const text = JSON.stringify(value, null, 1);
  const numbers = /\[\s+((?:-?[\d.e+-]+,\s+)*-?[\d.e+-]+)\s+\]/g;
  return `${text.replace(numbers, (_, inner: string) => `[${inner.replace(/\s+/g, " ")}]`)}\n`;
}

export function writeResult(folder: string, result: Experiment): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${result.experiment}.json`), toText(result));
}

export type Manifest = Readonly<Record<string, string>>;

export interface Results {
  readonly manifest: Manifest;
  readonly experiments: ReadonlyMap<string, Experiment>;
}

export const MANIFEST = "manifest.json";
/** How a manifest's commit ends where the working tree had changes. */
export const CHANGED = " with changes";

export function readResults(folder: string): Results {
  const experiments = new Map<string, Experiment>();
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"));
  for (const file of files) {
    if (!file.endsWith(".json") || file === MANIFEST) continue;
    const result = read(file) as Experiment;
    experiments.set(result.experiment, result);
  }
  const manifest = files.includes(MANIFEST) ? (read(MANIFEST) as Manifest) : {};
  return { manifest, experiments };
}
