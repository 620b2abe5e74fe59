/** What happens to a sum at its target. */
import { add, sub } from "./simd";

export const STORE: i32 = 0;
export const ADD: i32 = 1;
export const SUBTRACT: i32 = 2;

// @ts-ignore: decorator
@inline export function put(mode: i32, at: usize, sum: v128): void {
  if (mode == STORE) v128.store(at, sum);
  else if (mode == ADD) v128.store(at, add(v128.load(at), sum));
  else v128.store(at, sub(v128.load(at), sum));
}
