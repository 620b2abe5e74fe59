/**
 * What is said about samples: quartiles, mean, coefficient of variation and a bootstrap interval of
 * the median. Everything is a function of the samples and a fixed seed, so a page can be made
 * again.
 */

export interface Statistics {
  readonly count: number;
  readonly minimum: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly mean: number;
  /** Standard deviation (n − 1) over mean; 0 for one sample. */
  readonly cv: number;
  /** 95 % bootstrap interval of the median. */
  readonly interval: readonly [number, number];
}

const RESAMPLES = 400;
const SEED = 20260620;

/** Quantile by linear interpolation between order statistics (R's type 7). */
export function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const low = Math.floor(at);
  const below = sorted[low] as number;
  const above = sorted[Math.min(low + 1, sorted.length - 1)] as number;
  return below + (above - below) * (at - low);
}

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). */
export function uniforms(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function bootstrap(samples: readonly number[]): readonly [number, number] {
  const next = uniforms(SEED);
  const size = samples.length;
  const medians: number[] = [];
  for (let i = 0; i < RESAMPLES; i++) {
    const drawn = Array.from({ length: size }, () => samples[Math.floor(next() * size)] as number);
    medians.push(quantile(drawn.sort(ascending), 0.5));
  }
  medians.sort(ascending);
  return [quantile(medians, 0.025), quantile(medians, 0.975)];
}

const ascending = (a: number, b: number): number => a - b;

export function statisticsOf(samples: readonly number[]): Statistics {
  if (samples.length === 0) throw new Error("statistics need at least one sample");
  const sorted = [...samples].sort(ascending);
  const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length;
  const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const deviation = samples.length > 1 ? Math.sqrt(squares / (samples.length - 1)) : 0;
  return {
    count: samples.length,
    minimum: sorted[0] as number,
    low: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.75),
    mean,
    cv: mean === 0 ? 0 : deviation / Math.abs(mean),
    interval: samples.length > 1 ? bootstrap(samples) : [mean, mean],
  };
}
