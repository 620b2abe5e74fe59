/** Estimates of lines of counts and chances, computed as textbooks have it. */

/** Iteratively reweighted least squares for a + b z of standardised columns, as textbooks have it. */
export function byScoring(
  z: readonly number[],
  y: readonly number[],
  kind: "poisson" | "binomial",
): readonly [a: number, b: number, error: number] {
  const isCount = kind === "poisson";
  const mean = y.reduce((sum, each) => sum + each, 0) / y.length;
  let [a, b] = [isCount ? Math.log(mean) : Math.log(mean / (1 - mean)), 0];
  let errorOfB = 0;
  for (let turn = 0; turn < 100; turn++) {
    let [aa, ab, bb, ga, gb] = [0, 0, 0, 0, 0];
    for (const [i, zi] of z.entries()) {
      const eta = a + b * zi;
      const f = isCount ? Math.exp(eta) : 1 / (1 + Math.exp(-eta));
      const weight = isCount ? f : f * (1 - f);
      const miss = (y[i] as number) - f;
      [aa, ab, bb] = [aa + weight, ab + weight * zi, bb + weight * zi * zi];
      [ga, gb] = [ga + miss, gb + miss * zi];
    }
    const determinant = aa * bb - ab * ab;
    a += (bb * ga - ab * gb) / determinant;
    b += (aa * gb - ab * ga) / determinant;
    errorOfB = Math.sqrt(aa / determinant);
  }
  return [a, b, errorOfB];
}
