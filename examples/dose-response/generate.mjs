/**
 * Makes the dose response: base 2, threshold 3, slope 1.5, full from 8, noise 0.2.
 *
 *   node examples/dose-response/generate.mjs
 */
import { normals, writeTable } from "../random.mjs";

const [base, threshold, slope, full, noise, seed] = [2, 3, 1.5, 8, 0.2, 4];

export function generate() {
  const normal = normals(seed);
  const rows = Array.from({ length: 49 }, (_, i) => {
    const dose = i / 4;
    const rise = Math.min(Math.max(dose, threshold), full) - threshold;
    return `${dose.toFixed(2)},${(base + slope * rise + noise * normal()).toFixed(3)}`;
  });
  return `dose,response\n${rows.join("\n")}\n`;
}

writeTable(import.meta.url, generate());
