/**
 * Fits NIST's reference problems of nonlinear regression from both of their starts and prints how
 * many digits agree with the certified values (the log relative error, at most 11: as many as are
 * certified).
 *
 *   NDVM_CORPUS=… node packages/core/scripts/nist.mjs [problem …]
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fit, Machine } from "../dist/index.js";

const file = join(process.env["NDVM_CORPUS"] ?? "", "nist_strd/nist_strd.json");
if (!existsSync(file)) {
  console.error(`NDVM_CORPUS does not name the folder of the external cases: no ${file}`);
  process.exit(1);
}
const wanted = process.argv.slice(2);
const problems = JSON.parse(readFileSync(file, "utf8")).filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name),
);

/** Digits that agree. */
function digits(value, certified) {
  if (value === certified) return 11;
  const error = Math.abs(value - certified) / Math.abs(certified);
  return Math.max(0, Math.min(11, -Math.log10(error))) || 0;
}

function dataOf({ inputs, x, y, y_model: logged }) {
  const data = { y: logged ?? y };
  for (const [k, name] of inputs.entries())
    data[name] = inputs.length === 1 ? x : x.map((row) => row[k]);
  return data;
}

const machine = await Machine.create({ precision: "f64" });
const row = (...cells) =>
  console.log(cells.map((cell, k) => String(cell)[k === 0 ? "padEnd" : "padStart"](10)).join(" "));
row("problem", "start", "params", "std dev", "rss", "steps", "runs", "ended by", "ms");
for (const problem of problems)
  for (const start of ["start1", "start2"]) {
    const program = machine.load(problem.scheme, { inputs: problem.inputs });
    const params = Object.fromEntries(
      problem.params.map((name, j) => [name, { start: problem[start][j] }]),
    );
    const began = performance.now();
    const result = await fit(program, { data: dataOf(problem), target: "y", params });
    const took = performance.now() - began;
    const least = (values, certified) =>
      Math.min(...certified.map((value, j) => digits(values[problem.params[j]], value))).toFixed(1);
    const [outcome] = result.restarts;
    row(
      problem.name,
      start.slice(-1),
      least(result.best.params, problem.certified),
      least(result.standardErrors, problem.certified_sd),
      digits(result.best.loss, problem.rss).toFixed(1),
      outcome.steps,
      outcome.evaluations,
      outcome.reason,
      took.toFixed(0),
    );
    program.dispose();
  }
machine.dispose();
