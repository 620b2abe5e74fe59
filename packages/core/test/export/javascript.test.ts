/**
 * Programs as JavaScript text: run, they give what the machine gives.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { exportModel, type Input, Machine, type Program } from "../../src/index.js";
import type { Domain } from "../../src/machine/types.js";
import { machineInputs } from "../fuzz/check.js";
import { isTame, opinionOf, refInputs } from "../fuzz/oracle.js";
import { sourceOf } from "../fuzz/program.js";
import { programAt } from "../fuzz/run.js";
import { type LanguageCase, readCases } from "../language/cases.js";
import { RefError } from "../reference/values.js";
import { functionOf, isSameValue } from "./support.js";

const machine = await Machine.create({ precision: "f64" });
const seed = Number(process.env["SEED"] ?? 20_260_101);

/** An input as the exported function takes it. */
function plainInput(input: Input, lane: number): unknown {
  if (Array.isArray(input)) return input[lane];
  if (typeof input !== "object" || !("kind" in input)) return input;
  if (input.kind === "int") return input.value;
  if (input.kind !== "tensor") throw new Error("an axis");
  const { rank, rows, cols, data } = input;
  if (rank === 1) return [...data];
  return Array.from({ length: rows }, (_, r) => [...data.slice(r * cols, (r + 1) * cols)]);
}

function checkCase({ source, setting, expectation }: LanguageCase): void {
  const isError = expectation.startsWith("error");
  const domain = (setting.options.get("domain") ?? "ieee") as Domain;
  let program: Program;
  try {
    program = machine.load(source, { domain });
  } catch (error) {
    if (isError) return;
    throw error;
  }
  const known = [...setting.inputs].filter(([name]) => program.inputs.includes(name));
  const tensors = known.flatMap(([name, input]) =>
    typeof input === "object" && "kind" in input && input.kind === "tensor" ? [name] : [],
  );
  const text = exportModel({ program, tensors }, "javascript");
  const run = program.evaluate(Object.fromEntries(known));
  for (let lane = 0; lane < run.lanes; lane++) {
    const inputs = Object.fromEntries(
      known.map(([name, input]) => [name, plainInput(input, lane)]),
    );
    const got = functionOf(text)(inputs);
    expect(isSameValue(got, run.datum(lane)), `${text}\ngave ${JSON.stringify(got)}`).toBe(true);
  }
  program.dispose();
}

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "language");
/** Recursion that is no tail call uses JavaScript's stack, so a depth of a million is not for it. */
const left = ["forms/deep-recursion.scm"];
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".scm") && !name.startsWith("errors") && !left.includes(name))
  .sort();

describe.each(files)("%s", (file) => {
  const cases = readCases(readFileSync(join(folder, file), "utf8")).filter(
    ({ setting, expectation }) =>
      !expectation.startsWith("error") && setting.options.get("precision") !== "f32",
  );
  test(`${cases.length} programs as JavaScript`, () => {
    for (const each of cases) checkCase(each);
  });
});

test(`random programs as JavaScript (SEED=${seed})`, () => {
  let compared = 0;
  for (let index = 0; index < 600; index++) {
    const program = programAt(seed, index);
    let isJudged = false;
    try {
      isJudged = isTame(opinionOf(program, 0));
    } catch (error) {
      if (!(error instanceof RefError || error instanceof RangeError)) throw error;
    }
    if (!isJudged) continue;
    const loaded = machine.load(sourceOf(program), { domain: program.domain });
    const tensors = program.inputs
      .filter(({ kind }) => kind === "vector" || kind === "matrix")
      .map(({ name }) => name);
    const text = exportModel({ program: loaded, tensors }, "javascript");
    const run = loaded.evaluate(machineInputs(loaded, program, [0]), { lanes: 1 });
    const got = functionOf(text)(refInputs(program, 0));
    const what = `program ${index}: ${sourceOf(program)}\n${text}\ngave ${JSON.stringify(got)}`;
    expect(isSameValue(got, run.datum(0)), what).toBe(true);
    loaded.dispose();
    compared += 1;
  }
  expect(compared).toBeGreaterThan(300);
});
