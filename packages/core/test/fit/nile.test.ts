/**
 * Maximum likelihood of the Nile's local level model by a Kalman filter written in Scheme: the
 * published variances (Durbin & Koopman, section 2.10), from a start far off.
 */

import { expect, test } from "vitest";
import { int } from "../../src/index.js";
import { describeCorpus, readCorpus } from "../corpus/corpus.js";
import { fitText } from "./support.js";

/** Negative log-likelihood; the first observation starts the level. */
const filter = `
  (loop ((t 1) (level (ref y 0)) (P (+ noise drift)) (sum 0.0))
    (if (= t n)
        sum
        (let* ((error (- (ref y t) level))
               (F (+ P noise))
               (gain (/ P F)))
          (recur (+ t 1)
                 (+ level (* gain error))
                 (+ (* P (- 1 gain)) drift)
                 (+ sum (* 0.5 (+ 1.8378770664093453 (log F) (/ (* error error) F))))))))`;

describeCorpus("the Nile's variances", () => {
  const { y } = readCorpus<{ readonly y: readonly number[] }>("kalman_refs/nile_local_level.json");
  test.each(["lbfgs", "adam"] as const)("%s finds them", async (optimiser) => {
    const result = await fitText(filter, {
      data: { y, n: int(y.length) },
      params: { noise: { start: 5000, scale: "log" }, drift: { start: 5000, scale: "log" } },
      isNegativeLogLikelihood: true,
      optimiser,
      ...(optimiser === "adam" ? { steps: 2000 } : {}),
    });
    const { noise, drift } = result.best.params as { noise: number; drift: number };
    // 15099 and 1469.1 in the book; the last digits depend on where its maximisation stopped.
    expect(noise / 15099).toBeCloseTo(1, 3);
    expect(drift / 1469.1).toBeCloseTo(1, 3);
    // The book's likelihood counts −½ log 2π for the first observation as well.
    expect(result.best.logLikelihood - 0.5 * Math.log(2 * Math.PI)).toBeCloseTo(-633.46, 1);
    // Variances are known to a third or so: the intervals of a log scale are positive and skew.
    const [low, high] = result.intervals["drift"] as readonly [number, number];
    expect(low).toBeGreaterThan(0);
    expect(high - drift).toBeGreaterThan(drift - low);
    expect(result.standardErrors["noise"]).toBeGreaterThan(2000);
    expect(result.standardErrors["noise"]).toBeLessThan(4500);
  });
});
