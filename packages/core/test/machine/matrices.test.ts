/**
 * Kernels of small matrices and elimination that measures sizes only where a pivot is near rounding:
 * the same bits as without them, for matrices that are well and badly scaled, nearly singular,
 * singular, or not finite.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Machine, type Precision } from "../../src/index.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`matrices: SEED=${seed}`);

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 16];
const LANES = 5;

/** Entries are inputs x0, x1, …, so that each lane has a matrix of its own. */
const matrixOf = (n: number): string => {
  const row = (i: number) =>
    `(vec ${Array.from({ length: n }, (_, j) => `x${i * n + j}`).join(" ")})`;
  return `(mat ${Array.from({ length: n }, (_, i) => row(i)).join(" ")})`;
};

const programOf = (n: number, body: string): string => `(let ((A ${matrixOf(n)})) ${body})`;

const ones = (n: number): string => `(vec ${Array(n).fill("1.0").join(" ")})`;
const bodies = (n: number): readonly string[] => [
  "(det A)",
  "(logdet A)",
  "(vsum (inv A))",
  `(vsum (solve A ${ones(n)}))`,
  "(vsum (matmul A (matmul A (transpose A))))",
  `(dot ${ones(n)} (matvec A ${ones(n)}))`,
];

/** How the last row of a lane's matrix comes about. */
const kinds = ["free", "nearly a sum", "a sum", "zero", "not finite"] as const;
type Kind = (typeof kinds)[number];

interface Drawn {
  readonly n: number;
  readonly entries: readonly number[];
  readonly kinds: readonly Kind[];
  readonly scales: readonly number[];
}

const drawn: fc.Arbitrary<Drawn> = fc.constantFrom(...SIZES).chain((n) =>
  fc.record({
    n: fc.constant(n),
    entries: fc.array(fc.integer({ min: -900, max: 900 }), {
      minLength: n * n * LANES,
      maxLength: n * n * LANES,
    }),
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: LANES, maxLength: LANES }),
    scales: fc.array(fc.constantFrom(1, 1, 1e-6, 1e6), { minLength: n, maxLength: n }),
  }),
);

/** The entries of every lane, by place. */
function inputsOf({ n, entries, kinds: kindOf, scales }: Drawn): Record<string, Float64Array> {
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    const rows = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_, j) => (entries[(lane * n + i) * n + j] as number) / 300),
    );
    const last = rows[n - 1] as number[];
    for (let j = 0; j < n; j++) {
      const sum = rows.slice(0, -1).reduce((all, row) => all + (row[j] as number), 0);
      if (kindOf[lane] === "a sum") last[j] = sum;
      else if (kindOf[lane] === "nearly a sum") last[j] = sum * (1 + 3e-7 * (j % 3));
      else if (kindOf[lane] === "zero") last[j] = 0;
      else if (kindOf[lane] === "not finite" && j === 0) last[j] = Number.NaN;
    }
    return rows.flatMap((row, i) => row.map((x) => x * (scales[i] as number)));
  });
  return Object.fromEntries(
    Array.from({ length: n * n }, (_, e) => [
      `x${e}`,
      Float64Array.from(lanes, (lane) => lane[e] as number),
    ]),
  );
}

function bitsOf(machine: Machine, source: string, inputs: Record<string, Float64Array>): string {
  const program = machine.load(source);
  const { values, gradients } = program.gradient(inputs);
  program.dispose();
  return [values, ...Object.values(gradients)].map((numbers) => String([...numbers])).join(";");
}

describe.each<Precision>(["f32", "f64"])("matrices in %s", (precision) => {
  test("have the same bits by the kernels for small shapes and by the general ones", async () => {
    const fast = await Machine.create({ precision });
    const plain = await Machine.create({ precision, mechanisms: { smallShapes: false } });
    fc.assert(
      fc.property(drawn, (one) => {
        const inputs = inputsOf(one);
        for (const body of bodies(one.n)) {
          const source = programOf(one.n, body);
          expect(bitsOf(fast, source, inputs), body).toBe(bitsOf(plain, source, inputs));
        }
      }),
      { seed, numRuns: 60 },
    );
  });

  test.each(SIZES)("have in each lane of size %i the bits that it has alone", async (n) => {
    const machine = await Machine.create({ precision });
    const [one] = fc.sample(
      drawn.filter((each) => each.n === n),
      { seed, numRuns: 1 },
    ) as [Drawn];
    const inputs = inputsOf(one);
    for (const body of bodies(n)) {
      const program = machine.load(programOf(n, body));
      const together = program.gradient(inputs);
      for (let lane = 0; lane < LANES; lane++) {
        const alone = program.gradient(
          Object.fromEntries(
            Object.entries(inputs).map(([name, numbers]) => [name, numbers[lane] as number]),
          ),
        );
        expect(alone.values[0], body).toBe(together.values[lane]);
        for (const [name, numbers] of Object.entries(alone.gradients))
          expect(numbers[0], `${body} by ${name}`).toBe(together.gradients[name]?.[lane]);
      }
      program.dispose();
    }
  });
});
