/**
 * Makes 1,500 daily returns: mean 0.05, omega 0.1, alpha 0.15, beta 0.8.
 *
 *   node examples/garch/generate.mjs
 */
import { normals, writeTable } from "../random.mjs";

const [mu, omega, alpha, beta, count, seed] = [0.05, 0.1, 0.15, 0.8, 1500, 4];

export function generate() {
  const normal = normals(seed);
  let h = omega / (1 - alpha - beta);
  const rows = Array.from({ length: count }, () => {
    const shock = Math.sqrt(h) * normal();
    h = omega + alpha * shock * shock + beta * h;
    return (mu + shock).toFixed(5);
  });
  return `y\n${rows.join("\n")}\n`;
}

writeTable(import.meta.url, generate());
