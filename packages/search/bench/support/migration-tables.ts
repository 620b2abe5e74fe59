/**
 * Tables on which searches differ, because not all of them find the law.
 *
 * - `chosen`: ways of migrating are chosen by these. They were taken out of fifteen after one or two
 *   searches each, with and without migration: these need 5,000 candidates or more, and not many
 *   more than 12,000.
 * - `held-out`: written at the same time, and searched on only after the ways were chosen.
 * - `hard`: trial searches of 12,000 candidates did not find them; for searches of 60,000.
 */

type Law = (x: number, z: number, w: number) => number;

export interface MigrationTable {
  readonly name: string;
  readonly data: Readonly<Record<string, readonly number[]>>;
}

const { exp, log, sin, cos, sqrt, tanh } = Math;

/** Names, where the drawing of inputs starts, and laws. */
type Laws = readonly (readonly [name: string, start: number, law: Law])[];

const chosen: Laws = [
  ["ratio and a wave", 843926773, (x, z) => (x * x + 0.5 * z) / (1 + 0.7 * x) + 0.2 * sin(3 * x)],
  ["wave that log scales", 1348575621, (x, z) => log(1 + x * x) * cos(2 * z) + 0.3 * x],
  ["decay over a product", 85136139, (x, z) => (x * exp(-0.5 * z)) / (1 + 0.4 * x * z)],
  ["bell and a wave", 969180304, (x, z) => exp(-((x - 2) ** 2) / 1.5) + 0.6 * sin(2 * z)],
  ["growth times a wave", 739568545, (x, z) => ((1 + 0.5 * sin(2 * x)) * exp(0.4 * z)) / (1 + x)],
  ["two laws, one threshold", 360173228, (x, z) => (x > 2.2 ? 1.5 * z - x : sin(2 * x) + z)],
  ["two waves of one input", 1244217393, (x, z, w) => x * sin(w) + (z * cos(1.3 * w)) / (1 + x)],
  ["decay and a logarithm", 864822076, (x, z, w) => exp(-0.4 * x) * z + 1.2 * log(1 + w * z)],
];

const heldOut: Laws = [
  [
    "damped wave and a square",
    1595447959,
    (x, z) => 1.5 * exp(-0.25 * z) * sin(2.1 * x) + 0.2 * x * x,
  ],
  [
    "squares over a line",
    332008477,
    (x, z) => (2 * x + z * z) / (1 + 0.4 * z) + 0.3 * cos(2.5 * x),
  ],
  ["wave that a log scales", 1216052642, (x, z) => log(1 + x * z) * sin(1.4 * x + 0.5)],
  ["step and a root", 2100096807, (x, z) => 2 * tanh(0.8 * x - 2) * z + 0.5 * sqrt(x)],
  ["wave over a line", 836657325, (x, z) => cos(1.6 * x) / (1 + 0.5 * z) + 0.25 * z],
  ["rise and fall", 1720701490, (x, z) => (x * x * exp(-0.6 * x)) / (0.5 + z) + 0.2 * z],
  ["bell times a line", 457262008, (x, z) => exp(-((z - 2.5) ** 2) / 2) * x + 0.5 * cos(1.5 * x)],
  ["saturation and a wave", 1341306173, (x, z) => (4 * x) / (1 + x + 0.5 * z) + 0.3 * sin(2 * z)],
  ["cube, product and wave", 77866691, (x, z) => 0.2 * z ** 3 + 0.5 * x * z - cos(3 * x)],
  ["root over a line", 2049970545, (x, z) => sqrt(2 + x * x) / (1 + z) + 0.4 * sin(3 * z)],
  ["decay and a step", 786531063, (x, z) => exp(-0.5 * x) + tanh(1.5 * z - 3) * x],
  ["branches of two kinds", 1670575228, (x, z) => (z > 2 ? 0.3 * x * x - z : 2 * cos(x) + 1)],
  ["wave less a ratio", 407135746, (x, z, w) => w * cos(x) - (x * z) / (1 + w)],
  ["square over a sum", 1291179911, (x, z, w) => (w * w) / (x + 0.5 * z) + 0.3 * x * z],
  ["damped wave of three", 27740429, (x, z, w) => exp(-0.3 * w) * sin(2 * x) + 0.6 * z],
  ["logarithm less a root", 911784594, (x, z, w) => log(1 + x + w * w) * z - 0.5 * sqrt(x * w)],
];

const hard: Laws = [
  ["wave times a distance", 1727970938, (x, z) => sqrt(x * x + z * z) * sin(0.8 * x + 1)],
  ["step and a ratio", 464531456, (x, z) => tanh(x - z) + (0.5 * x) / (1 + z * z)],
  ["two saturations", 1853224469, (x, z) => (3 * x) / (0.5 + x) - (2 * z) / (1 + z) + 0.1 * x * z],
  ["product over a square", 2128261558, (x, z, w) => (x * z) / (w + 0.3 * x * x) + 0.4 * w],
  ["logarithm less a root", 911784594, (x, z, w) => log(1 + x + w * w) * z - 0.5 * sqrt(x * w)],
];

const sets = { chosen, "held-out": heldOut, hard };

export type MigrationSet = keyof typeof sets;

const ROWS = 80;

/** Numbers from 0.1 to 5, the same ones after the same start. */
function drawer(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 48271) % 2147483647;
    return 0.1 + 4.9 * (state / 2147483647);
  };
}

function tableOf([name, start, law]: Laws[number]): MigrationTable {
  const draw = drawer(start);
  const column = (): number[] => Array.from({ length: ROWS }, draw);
  const [x, z, w] = [column(), column(), column()] as const;
  const y = x.map((each, i) => law(each, z[i] as number, w[i] as number));
  return { name, data: law.length === 3 ? { x, z, w, y } : { x, z, y } };
}

export function migrationTables(set: MigrationSet): readonly MigrationTable[] {
  if (!Object.hasOwn(sets, set)) throw new Error(`--set=${set} is none of ${Object.keys(sets)}`);
  return sets[set].map(tableOf);
}
