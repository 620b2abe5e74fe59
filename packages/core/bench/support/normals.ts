/**
 * Points to fit, and numbers to start from.
 */

export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Numbers of a normal distribution, the same for the same seed (sum of twelve uniform ones). */
export function normals(seed: number): () => number {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}
