/**
 * The two proposal streams of the paper's co-search: 247 scalar programs and 80 recurrences that a
 * language model wrote, each with the C++ runtime's values and per-lane gradients at 44 points with
 * every parameter at 0.5.
 *
 * Both sides compute in f32, so values agree to G1 and gradients to G2 (see reference.test.ts),
 * taken relative to the largest lane: where terms cancel, a lane's own size says nothing. What is
 * known not to agree stands in two lists with the reason; there the f64 machine still has to run.
 */

import { expect, test } from "vitest";
import { asNumber, describeCorpus, readCorpus } from "./corpus.js";
import { withProgram } from "./support.js";

type Numbers = readonly (number | string)[];
interface Candidate {
  readonly src: string;
  readonly params: readonly string[];
  readonly at: number;
  readonly cpp_O3: { readonly outs: Numbers; readonly grads: Readonly<Record<string, Numbers>> };
}
interface Stream {
  readonly task: { readonly xtr: readonly number[] };
  readonly candidates: readonly Candidate[];
}

/** Recurrences in which a rounding error grows until no digit is left, and those that overflow. */
const chaotic: Readonly<Record<string, readonly number[]>> = { flat: [], rec: [36, 38, 74] };
const overflowing: Readonly<Record<string, readonly number[]>> = { flat: [], rec: [12, 55] };
/** Calls a number; the reference made that 0. */
const malformed: Readonly<Record<string, readonly number[]>> = { flat: [238], rec: [] };

/** Values and gradients of every lane. */
async function differentiate(
  precision: "f32" | "f64",
  { src, params, at }: Candidate,
  x: readonly number[],
): Promise<{ values: number[]; gradients: Record<string, number[]> }> {
  const fixed = Object.fromEntries(params.map((name) => [name, at]));
  const names = ["x", ...params];
  return withProgram(precision, src, { domain: "clamp", inputs: names }, (program) => {
    const result = program.gradient({ ...fixed, x }, { wrt: names });
    const gradients = names.map((name) => [name, [...(result.gradients[name] ?? [])]]);
    return { values: [...result.values], gradients: Object.fromEntries(gradients) };
  });
}

/** The lanes in which two rows of numbers differ by more than the tolerance. */
function apart(actual: readonly number[] | undefined, expected: Numbers, tolerance: number) {
  const wanted = expected.map(asNumber);
  const scale = Math.max(...wanted.filter(Number.isFinite).map(Math.abs), 0);
  return wanted.flatMap((value, lane) => {
    const given = actual?.[lane] ?? Number.NaN;
    if (!Number.isFinite(value)) return Number.isFinite(given) ? [`${lane}: ${given}`] : [];
    const allowed = tolerance * (1 + scale);
    return Math.abs(given - value) <= allowed ? [] : [`${lane}: ${given} for ${value}`];
  });
}

describeCorpus("the co-search streams", () => {
  for (const [kind, count] of [
    ["flat", 247],
    ["rec", 80],
  ] as const) {
    const { task, candidates } = readCorpus<Stream>(`reference/cosearch_${kind}.json`);
    const isUnlike = (index: number): boolean =>
      [chaotic, overflowing, malformed].some((list) => list[kind]?.includes(index));

    test(`${kind}: there are ${count} programs`, () => {
      expect(candidates.length).toBe(count);
      expect(task.xtr.length).toBe(44);
    });

    test(`${kind}: values and gradients agree with the reference in all 44 lanes`, async () => {
      const wrong: string[] = [];
      for (const [index, candidate] of candidates.entries()) {
        if (isUnlike(index)) continue;
        const { values, gradients } = await differentiate("f32", candidate, task.xtr);
        const { outs, grads } = candidate.cpp_O3;
        const found = [
          ...apart(values, outs, 1e-4).map((text) => `value ${text}`),
          ...Object.entries(grads).flatMap(([name, expected]) =>
            apart(gradients[name], expected, 2e-3).map((text) => `by ${name} ${text}`),
          ),
        ];
        if (found.length > 0) wrong.push(`${index} ${candidate.src}: ${found.join("; ")}`);
      }
      expect(wrong).toEqual([]);
    });

    test(`${kind}: programs that f32 cannot settle still run in f64`, async () => {
      for (const index of [...(chaotic[kind] ?? []), ...(overflowing[kind] ?? [])]) {
        const candidate = candidates[index];
        if (candidate === undefined) throw new Error(`program ${index} is missing`);
        const { values } = await differentiate("f64", candidate, task.xtr);
        expect(values.length).toBe(44);
      }
    });

    test(`${kind}: a program that calls a number is refused`, async () => {
      for (const index of malformed[kind] ?? []) {
        const candidate = candidates[index];
        if (candidate === undefined) throw new Error(`program ${index} is missing`);
        await expect(differentiate("f32", candidate, task.xtr)).rejects.toMatchObject({
          code: expect.stringMatching(/^E-(CALL|UNBOUND)$/),
        });
      }
    });
  }
});
