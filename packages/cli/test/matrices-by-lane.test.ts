/** Arrays of calls as vectors and matrices: each lane has its own part, whatever the shape. */

import { expect, test } from "vitest";
import { ArrayList, type Numbers } from "../src/serve/frames.js";
import { inputOf } from "../src/serve/values.js";

const SIZES = [1, 2, 3, 5];
const KINDS: readonly ((numbers: readonly number[]) => Numbers)[] = [
  (numbers) => Float64Array.from(numbers),
  (numbers) => Float32Array.from(numbers),
  (numbers) => Int32Array.from(numbers),
];

/** What an input of a shape is, read number by number. */
function read(numbers: Numbers, kind: string, shape: readonly number[]): unknown {
  const list = new ArrayList();
  const value = { ...list.add(numbers, shape), kind };
  return inputOf(value, "m", [{ numbers, shape }]);
}

test("an array of shape [B, r, c] is a matrix of r rows and c columns for each of B lanes", () => {
  for (const of of KINDS)
    for (const lanes of SIZES)
      for (const rows of SIZES)
        for (const cols of SIZES) {
          const at = (lane: number, row: number, col: number) => 100 * lane + 10 * row + col;
          const places = Array.from({ length: lanes }, (_, lane) =>
            Array.from({ length: rows * cols }, (_, i) => at(lane, Math.floor(i / cols), i % cols)),
          );
          const shape = [lanes, rows, cols];
          const input = read(of(places.flat()), "matrix", shape) as readonly object[];
          expect(input, `${shape}`).toHaveLength(lanes);
          for (const [lane, one] of input.entries()) {
            const { data, ...rest } = one as { readonly data: Numbers };
            expect(rest, `${shape}`).toEqual({ kind: "tensor", rank: 2, rows, cols });
            expect([...data], `${shape}`).toEqual(places[lane]);
          }
          const one = read(of(places[0] as number[]), "matrix", [rows, cols]);
          const { data, ...rest } = one as { readonly data: Numbers };
          expect(rest).toEqual({ kind: "tensor", rank: 2, rows, cols });
          expect([...data]).toEqual(places[0]);
        }
});

test("an array of shape [B, n] is a vector of n numbers for each of B lanes", () => {
  for (const of of KINDS)
    for (const lanes of SIZES)
      for (const length of SIZES) {
        const places = Array.from({ length: lanes }, (_, lane) =>
          Array.from({ length }, (_, i) => 10 * lane + i),
        );
        const input = read(of(places.flat()), "vector", [lanes, length]);
        const parts = (input as readonly { readonly data: Numbers }[]).map(({ data }) => [...data]);
        expect(parts).toEqual(places);
      }
});
