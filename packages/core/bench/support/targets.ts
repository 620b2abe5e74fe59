/**
 * The figures to reach, with what the reference needs, and what this run measured of them.
 *
 * "Reference" is the C++ runtime of the paper on this class of machine, quiet minima. Sections hand
 * in what they measured; `targets.bench.ts`, the last file, prints the list.
 */

interface Target {
  readonly work: string;
  readonly reference: string;
  /** The bound, in the unit. */
  readonly bound: number;
  readonly unit: string;
  readonly isLeast?: boolean;
}

export const TARGETS = {
  kalmanOne: { work: "Kalman T=80 fwd+grad, 1 lane", reference: "542", bound: 40, unit: "µs" },
  kalmanMany: { work: "same, per lane at 256", reference: "54", bound: 3.7, unit: "µs" },
  kalmanCeiling: {
    work: "same, over an f32x4 function by hand",
    reference: "—",
    bound: 1.5,
    unit: "×",
  },
  kalmanMillion: {
    work: "same, per lane at 10⁶, over that at 256",
    reference: "49 µs at 1,024",
    bound: 1.1,
    unit: "×",
  },
  kalmanMemory: {
    work: "same, memory at 10⁶ lanes over that at 1,024",
    reference: "",
    bound: 1.1,
    unit: "×",
  },
  logisticOne: { work: "logistic map, 1 lane", reference: "7.8", bound: 1, unit: "µs" },
  logisticMany: { work: "same, per lane at 256", reference: "0.74", bound: 0.05, unit: "µs" },
  oscillatorOne: { work: "damped oscillator, 1 lane", reference: "0.83", bound: 0.3, unit: "µs" },
  oscillatorMany: { work: "same, per lane at 256", reference: "0.075", bound: 0.012, unit: "µs" },
  tentOne: { work: "tent map, both branches, 1 lane", reference: "11.6", bound: 3, unit: "µs" },
  tentSome: { work: "same, per lane at 64", reference: "42", bound: 1, unit: "µs" },
  tentMany: { work: "same, per lane at 1,024", reference: "439", bound: 1, unit: "µs" },
  streamFlat: {
    work: "247 programs, 50 Adam steps × 44 points",
    reference: "5,600",
    bound: 25_000,
    unit: "fits/s",
    isLeast: true,
  },
  streamRestarts: {
    work: "same, 16 restarts as lanes",
    reference: "7,600",
    bound: 50_000,
    unit: "fits/s",
    isLeast: true,
  },
  streamLoops: {
    work: "80 recurrences, same recipe",
    reference: "590",
    bound: 5000,
    unit: "fits/s",
    isLeast: true,
  },
  textToGradient: {
    work: "text → first value and gradient, warm",
    reference: "2.4–6",
    bound: 20,
    unit: "µs",
  },
  elementwise: {
    work: "element-wise forward, 6 nodes × 100 rows",
    reference: "10⁹",
    bound: 1e9,
    unit: "node-rows/s",
    isLeast: true,
  },
  cold: { work: "import → first gradient, cold", reference: "", bound: 150, unit: "ms" },
  coldGradient: {
    work: "process start → first gradient, over an empty Node",
    reference: "",
    bound: 25,
    unit: "ms",
  },
  coldCommand: { work: "ndvm eval, over an empty Node", reference: "", bound: 40, unit: "ms" },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;

export interface Measured {
  readonly value: number;
  /** What stood beside it in the same run. */
  readonly yardstick: string;
}

const measured = new Map<TargetName, Measured>();

export function reach(name: TargetName, value: number, yardstick = ""): void {
  measured.set(name, { value, yardstick });
}

export function reached(name: TargetName): Measured | undefined {
  return measured.get(name);
}

export function isMet(name: TargetName, value: number): boolean {
  const target: Target = TARGETS[name];
  return target.isLeast ? value >= target.bound : value <= target.bound;
}
