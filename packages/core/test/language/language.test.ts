/**
 * Runs every .scm file of this folder: expressions with their expectations beside them.
 *
 *   (sqrt a)       ; => 2   grad a => 0.25      value, and derivatives by inputs
 *   (+ a b)        ; => 1 | 2 | 3               one value per lane
 *   (if (> a 0) 1 2) ; => 1 inactive a          an input that reaches the result by no number
 *   (/ 1 0)        ; => +inf.0  reported        the lane is listed as not finite
 *   (car 5)        ; error E-TYPE car           refused, with a part of the message
 *   ; param a = 4, v = [1 2], A = [[1 2] [3 4]], n = int 3, x = 1 | 2 | 3
 *
 * An expectation closes the text since the one before it, so definitions above an expression belong
 * to it. A `param` line holds from there on until the next one; `param none` takes all away. Beside
 * inputs it sets domain, precision (where a rule differs), stepsMax, tapeBytesMax, memoryMax, and
 * ask = gradient where an error needs a gradient to be asked for.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { NdvmError } from "../../src/errors.js";
import { Machine } from "../../src/index.js";
import type {
  Domain,
  Evaluation,
  GradientResult,
  Input,
  Precision,
} from "../../src/machine/types.js";
import { readExpected, readNumbers, resultMatches } from "../corpus/expected.js";
import { isClose, machineOf } from "../corpus/support.js";
import { type LanguageCase, readCases, type Setting } from "./cases.js";

interface Clauses {
  readonly value: string;
  readonly gradients: ReadonlyMap<string, string>;
  readonly inactive: readonly string[];
  readonly reported: boolean;
}

function readClauses(expectation: string): Clauses {
  const gradients = new Map<string, string>();
  const inactive: string[] = [];
  let reported = false;
  const [value, ...clauses] = expectation.split(/\s+(?=(?:grad|inactive|reported)\b)/);
  for (const clause of clauses) {
    const [, name, gradient] = /^grad (\S+) => (.*)$/.exec(clause) ?? [];
    if (name !== undefined && gradient !== undefined) gradients.set(name, gradient);
    else if (clause.startsWith("inactive ")) inactive.push(clause.slice(9).trim());
    else if (clause.trim() === "reported") reported = true;
    else throw new Error(`cannot read the clause ${clause}`);
  }
  return { value: (value ?? "").replace(/^=>\s*/, ""), gradients, inactive, reported };
}

const tolerances = {
  f64: { relative: 1e-12, absolute: 1e-13 },
  f32: { relative: 4e-6, absolute: 1e-6 },
} as const;

async function machineFor({ options }: Setting, precision: Precision): Promise<Machine> {
  const memoryMax = options.get("memoryMax");
  if (memoryMax === undefined) return machineOf(precision);
  return Machine.create({ precision, memoryMax: Number(memoryMax) });
}

/** Loads and runs a case; `wrt` undefined means that no gradient is asked for. */
async function run(
  { source, setting }: LanguageCase,
  precision: Precision,
  wrt: readonly string[] | undefined,
): Promise<Evaluation | GradientResult> {
  const machine = await machineFor(setting, precision);
  const number = (name: string): number | undefined => {
    const text = setting.options.get(name);
    return text === undefined ? undefined : Number(text);
  };
  const domain = (setting.options.get("domain") ?? "ieee") as Domain;
  const program = machine.load(source, { domain });
  try {
    const known = [...setting.inputs].filter(([name]) => program.inputs.includes(name));
    const stepsMax = number("stepsMax");
    const tapeBytesMax = number("tapeBytesMax");
    const options = {
      ...(stepsMax === undefined ? {} : { stepsMax }),
      ...(tapeBytesMax === undefined ? {} : { tapeBytesMax }),
    };
    const inputs = Object.fromEntries(known);
    if (wrt === undefined) return program.evaluate(inputs, options);
    return program.gradient(inputs, wrt.length === 0 ? options : { ...options, wrt });
  } finally {
    program.dispose();
    if (setting.options.has("memoryMax")) machine.dispose();
  }
}

async function expectError(each: LanguageCase, precision: Precision): Promise<void> {
  const [, code, fragment] = /^error (E-[A-Z]+)\s*(.*)$/.exec(each.expectation) ?? [];
  const wrt = each.setting.options.get("ask") === "gradient" ? [] : undefined;
  const error = await run(each, precision, wrt).then(
    (out) => expect.fail(`evaluated to ${out.print(0)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof NdvmError)) throw error;
  expect(`${error.code}: ${error.message}`).toContain(`${code}: `);
  expect(`${error.message}\n${error.help ?? ""}`).toContain(fragment);
}

async function expectResult(each: LanguageCase, precision: Precision): Promise<void> {
  const { value, gradients, inactive, reported } = readClauses(each.expectation);
  const wrt = [...gradients.keys(), ...inactive];
  const out = await run(each, precision, wrt.length === 0 ? undefined : wrt);
  const tolerance = tolerances[precision];
  value.split("|").forEach((text, lane) => {
    const matches = resultMatches(out, lane, readExpected(text), tolerance);
    expect(matches, `lane ${lane}: printed ${out.print(lane)}, expected ${text}`).toBe(true);
  });
  if (reported) expect(out.nonFinite.length).toBeGreaterThan(0);
  if (!("gradients" in out)) return;
  for (const [name, text] of gradients) {
    const expected = text.split("|").flatMap(readNumbers);
    const given = [...(out.gradients[name] ?? [])];
    const close =
      given.length === expected.length &&
      expected.every((entry, i) => isClose(given[i] ?? Number.NaN, entry, tolerance));
    expect(close, `gradient by ${name}: got ${given}, expected ${text}`).toBe(true);
  }
  for (const name of inactive) expect(out.inactive).toContain(name);
}

/** Every lane of a batch has the bits of that lane run alone. */
async function expectLanesAlone(each: LanguageCase, precision: Precision): Promise<void> {
  const wrt = [...readClauses(each.expectation).gradients.keys()];
  const together = await run(each, precision, wrt.length === 0 ? undefined : wrt);
  for (let lane = 0; lane < together.lanes; lane++) {
    const inputs = [...each.setting.inputs].map(([name, input]): [string, Input] => [
      name,
      Array.isArray(input) ? (input[lane] as number) : input,
    ]);
    const setting = { ...each.setting, inputs: new Map(inputs) };
    const alone = await run({ ...each, setting }, precision, wrt.length === 0 ? undefined : wrt);
    expect(together.datum(lane), `lane ${lane}`).toEqual(alone.datum(0));
    if (!("gradients" in alone) || !("gradients" in together)) continue;
    for (const name of wrt) {
      const given = together.gradients[name]?.[lane];
      expect(given, `lane ${lane}: gradient by ${name}`).toBe(alone.gradients[name]?.[0]);
    }
  }
}

const folder = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".scm"))
  .sort();

test("there are files to run", () => {
  expect(files.length).toBeGreaterThan(40);
});

describe.each(files)("%s", (file) => {
  for (const each of readCases(readFileSync(join(folder, file), "utf8"))) {
    const code = each.source
      .replace(/^\s*;.*$/gm, "")
      .replace(/\s+/g, " ")
      .trim();
    const only = each.setting.options.get("precision");
    for (const precision of ["f64", "f32"] as const) {
      if (only !== undefined && only !== precision) continue;
      test(`line ${each.line} in ${precision}: ${code} ; ${each.expectation}`, async () => {
        if (each.expectation.startsWith("error")) await expectError(each, precision);
        else await expectResult(each, precision);
        if (each.expectation.includes("|")) await expectLanesAlone(each, precision);
      });
    }
  }
});
