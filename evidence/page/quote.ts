/**
 * Figures on the page. Every one comes from here and names the entries that it was made of, so that
 * no figure can stand there without samples behind it.
 */

import { type Entry, isMissing, type Results } from "../harness/store.js";

/** A figure, or words in its place where there is none. */
export interface Cell {
  readonly text: string;
  /** "experiment#key" of every entry behind it. */
  readonly from: readonly string[];
  readonly value: number | undefined;
}

/** Words of ours and figures, one after the other. */
export type Inline = string | Cell;

/** Three significant digits, without an exponent as long as that is readable. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : String(value);
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -4 || size > 9) return value.toExponential(1).replace("e", "·10^").replace("+", "");
  const digits = Math.max(0, 2 - size);
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export class Quote {
  /** All figures that were asked for. */
  readonly quoted: Cell[] = [];

  constructor(readonly results: Results) {}

  #entry(ref: string): Entry | undefined {
    const [experiment, key] = ref.split(/#(.*)/s) as [string, string];
    const entries = this.results.experiments.get(experiment)?.entries;
    return entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined;
  }

  /**
   * The figure of an entry: the least of short times, because what other users of a computer take
   * can only be added, and the median of everything else. Undefined where there is none.
   */
  value(ref: string): number | undefined {
    const entry = this.#entry(ref);
    if (entry === undefined || isMissing(entry)) return undefined;
    const isTime = entry.unit === "µs" || entry.unit === "ms";
    return isTime ? entry.statistics.minimum : entry.statistics.median;
  }

  has(ref: string): boolean {
    return this.value(ref) !== undefined;
  }

  /** What a run says in words. */
  condition(experiment: string, name: string): string | undefined {
    const conditions = this.results.experiments.get(experiment)?.conditions;
    return conditions !== undefined && Object.hasOwn(conditions, name)
      ? conditions[name]
      : undefined;
  }

  #reason(refs: readonly string[]): string {
    for (const ref of refs) {
      const entry = this.#entry(ref);
      if (entry === undefined) return "not measured in this run";
      if (isMissing(entry)) return entry.missing;
    }
    return "no figure can be made of it";
  }

  /** A figure made of entries; a labelled gap where one of them is missing. */
  of(
    refs: readonly string[],
    make: (...values: number[]) => number | undefined,
    format: (value: number) => string = short,
  ): Cell {
    const values = refs.map((ref) => this.value(ref));
    const value = values.every((each) => each !== undefined)
      ? make(...(values as number[]))
      : undefined;
    const cell =
      value === undefined
        ? { text: `— (${this.#reason(refs)})`, from: [], value: undefined }
        : { text: format(value), from: [...refs], value };
    this.quoted.push(cell);
    return cell;
  }

  figure(ref: string, scale = 1, unit = ""): Cell {
    return this.of(
      [ref],
      (x) => x * scale,
      (x) => `${short(x)}${unit}`,
    );
  }

  ratio(above: string, below: string): Cell {
    return this.of(
      [above, below],
      (a, b) => (b === 0 ? undefined : a / b),
      (x) => `${short(x)}×`,
    );
  }

  count(ref: string): Cell {
    return this.of(
      [ref],
      (x) => x,
      (x) => Math.round(x).toLocaleString("en-US"),
    );
  }

  /** A statistic of one entry. */
  statistic(
    ref: string,
    name: "cv" | "low" | "median" | "high" | "count",
    scale = 1,
    unit = "",
  ): Cell {
    const entry = this.#entry(ref);
    const is = entry !== undefined && !isMissing(entry);
    return this.of(
      [ref],
      (x) => (is ? entry.statistics[name] * scale : x),
      (x) => `${short(x)}${unit}`,
    );
  }

  interval(ref: string, scale = 1): Cell {
    const entry = this.#entry(ref);
    const bounds = entry !== undefined && !isMissing(entry) ? entry.statistics.interval : undefined;
    return this.of(
      [ref],
      (x) => x,
      () => `${short((bounds?.[0] ?? 0) * scale)}–${short((bounds?.[1] ?? 0) * scale)}`,
    );
  }
}
