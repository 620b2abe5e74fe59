/**
 * Random programs on the machine and on the reference, and proof that the comparison can fail: three
 * machines with a planted bug that the fuzzer must find.
 *
 * The seed is new in every run and printed; `SEED=… npx vitest run fuzz` or
 * `SEED=… npm run fuzz` runs the same programs again.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine } from "../src/index.js";
import { checkProgram } from "./fuzz/check.js";
import { generate } from "./fuzz/generate.js";
import { buildMutant, mutants } from "./fuzz/mutants.js";
import { sourceOf } from "./fuzz/program.js";
import { fuzz, programAt } from "./fuzz/run.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = 400;

describe("random programs", () => {
  let double: Machine;
  let single: Machine;

  beforeAll(async () => {
    double = await Machine.create({ precision: "f64" });
    single = await Machine.create({ precision: "f32" });
  });
  afterAll(() => {
    double.dispose();
    single.dispose();
  });

  test(`agree with the reference, seed ${seed}`, () => {
    console.info(`fuzz: ${programs} programs, SEED=${seed}`);
    const { passed, failure } = fuzz({ double, single }, { seed, programs });
    expect(failure?.text).toBeUndefined();
    expect(passed).toBeGreaterThan(programs * 0.9);
  });
});

describe("a planted bug is found", () => {
  test.each(mutants)("$name", async (mutant) => {
    const wrong = await Machine.fromBytes(await buildMutant(mutant), { precision: "f64" });
    const { failure } = fuzz({ double: wrong }, { seed: 1, programs: 2000 });
    if (!failure) throw new Error("the fuzzer found nothing");
    const { shrunk, text } = failure;
    expect(sourceOf(shrunk).length, text).toBeLessThan(120);
    // The small program blames the mutant and nothing else.
    const right = await Machine.create({ precision: "f64" });
    expect(checkProgram({ double: wrong }, shrunk)).toBeDefined();
    expect(checkProgram({ double: right }, shrunk)).toBeUndefined();
    wrong.dispose();
    right.dispose();
  });
});

describe("the generator", () => {
  test("makes the same program of the same seed and number", () => {
    expect(programAt(5, 17)).toEqual(programAt(5, 17));
    expect(sourceOf(programAt(5, 17))).not.toBe(sourceOf(programAt(6, 17)));
  });

  test("reaches every form and procedure of the language", () => {
    const texts = Array.from({ length: 6000 }, (_, i) =>
      sourceOf(generate(1, i, { divergence: true })),
    );
    const atoms = new Set(texts.join(" ").match(/[^\s()[\]'`,@]+/g));
    const wanted = `
      quote quasiquote if cond => case and or when unless begin let let* letrec letrec* do loop recur
      lambda define + - * / = < > <= >= abs min max quotient remainder modulo floor ceiling round
      truncate square sqrt exp log expt pow sin cos tan asin acos atan sinh cosh tanh log1p expm1
      sigmoid softplus erf lgamma gcd lcm exact inexact number? real? integer? even? odd? zero?
      positive? negative? finite? infinite? nan? cons car cdr cadr caddr cadddr list list? length
      append reverse list-ref list-tail list-copy memq memv member assq assv assoc map filter
      fold-left fold-right reduce apply null? pair? symbol? boolean? procedure? not eq? eqv? equal?
      vec mat ref vlen rows cols dot cross norm normalize vsum scale matvec matmul transpose trace
      det logdet inv solve cholesky outer eye zeros ones`;
    const spelt = new Set(["quote", "quasiquote"]); // printed as ' and `
    const missing = (wanted.match(/\S+/g) ?? []).filter(
      (name) => !atoms.has(name) && !spelt.has(name),
    );
    expect(missing).toEqual([]);
    expect(texts.some((text) => text.includes("`(") && text.includes(",@"))).toBe(true);
  });
});
