/**
 * Makes a point's way through the plane: 80 steps of variance 0.05, seen with variance 0.1.
 *
 *   node examples/kalman-fit/generate.mjs
 */
import { normals, writeTable } from "../random.mjs";

const [q, r, count, seed] = [0.05, 0.1, 80, 2];

export function generate() {
  const normal = normals(seed);
  let [x, y] = [0, 0];
  const rows = Array.from({ length: count }, () => {
    x += Math.sqrt(q) * normal();
    y += Math.sqrt(q) * normal();
    const east = x + Math.sqrt(r) * normal();
    const north = y + Math.sqrt(r) * normal();
    return `${east.toFixed(4)},${north.toFixed(4)}`;
  });
  return `east,north\n${rows.join("\n")}\n`;
}

writeTable(import.meta.url, generate());
