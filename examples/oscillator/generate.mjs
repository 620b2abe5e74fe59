/**
 * Makes the oscillator's data: released from 1.5, damping 0.25, frequency 3, noise 0.05.
 *
 *   node examples/oscillator/generate.mjs
 */
import { normals, writeTable } from "../random.mjs";

const [a, k, w, noise, seed] = [1.5, 0.25, 3, 0.05, 1];

export function generate() {
  const normal = normals(seed);
  const rate = Math.sqrt(w * w - k * k);
  const rows = Array.from({ length: 61 }, (_, i) => {
    const t = i / 6;
    const height = a * Math.exp(-k * t) * (Math.cos(rate * t) + (k / rate) * Math.sin(rate * t));
    return `${t.toFixed(4)},${(height + noise * normal()).toFixed(4)}`;
  });
  return `t,height\n${rows.join("\n")}\n`;
}

writeTable(import.meta.url, generate());
