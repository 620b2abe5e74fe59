/**
 * Procedures that call themselves: random ones that pass themselves on, call what they are given, and take
 * too few or too many operands, with loops recognised and without. What a program gives, its slopes and
 * its errors are the same.
 */

import { afterAll, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const looping = await Machine.create({ precision: "f64" });
const calling = await Machine.create({ precision: "f64", mechanisms: { loops: false } });
afterAll(() => {
  looping.dispose();
  calling.dispose();
});

/** The value and its slope, or the whole error but for its help. */
function said(machine: Machine, source: string): string {
  try {
    const program = machine.load(source, { inputs: ["a"] });
    try {
      const run = program.run({ a: 1.5 });
      const print = run.print();
      if (typeof run.datum(0) !== "number") return print;
      return `${print} ${program.gradient({ a: 1.5 }, { wrt: ["a"] }).gradients.a?.[0]}`;
    } finally {
      program.dispose();
    }
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, span } = error;
    return `${code} ${message} ${span?.start}-${span?.end}`;
  }
}

/**
 * A procedure f of a number n, which every call makes smaller, and g, which may be f itself; how the text
 * binds it; and the call that begins.
 */
function programIn(random: Random): string {
  const isFirst = random.chance(0.5);
  const order = (n: string, g: string): string => (isFirst ? `${n} ${g}` : `${g} ${n}`);
  const passed = (): string => random.pick(["f", "g", "g", "f", "1", "a", "(lambda (x y) x)"]);
  const operands = (): string => {
    const both = order("(- n 1)", passed());
    return random.pick([both, both, both, both, `${both} 2`, "(- n 1)", ""]);
  };
  const call = (): string => `(${random.pick(["f", "f", "f", "g"])} ${operands()})`;
  const value = (depth: number): string => {
    if (depth === 0) return random.pick([call, call, () => "n", () => "a", () => "2"])();
    const one = () => value(depth - 1);
    return random.pick([
      () => `(if (< n 2) ${one()} ${one()})`,
      () => `(* 2 ${one()})`,
      () => `(let ((u ${one()})) ${one()})`,
      () => `(begin ${one()} ${one()})`,
      () => `(let ((g f)) ${one()})`,
      () => `(let ((h (lambda () ${one()}))) (h))`,
      () => `(loop ((i 0)) (if (< i 2) (recur (+ i 1)) ${one()}))`,
      () => `(let h ((i 0)) (if (< i 2) (h (+ i 1)) ${one()}))`,
      call,
    ])();
  };
  const body = `(if (< n 1) ${random.pick(["a", "(* a a)", "f", "g", "n"])} ${value(random.below(4))})`;
  const first = (own: string): string => order("3", random.pick(["1", "a", own, own]));
  const lambda = `(lambda (${order("n", "g")}) ${body})`;
  const f = random.pick(["f", "g"]);
  return random.pick([
    () => `(let f (${order("(n 3)", `(g ${random.pick(["1", "a", "car"])})`)}) ${body})`,
    () => `(letrec ((f ${lambda})) (f ${first("f")}))`,
    () => `(letrec ((f ${lambda})) (f ${random.pick([`${first("f")} 5`, "3", "f", ""])}))`,
    () => `(letrec ((f ${lambda})) (f ${order("(if (< a 9) 2 f)", "f")}))`,
    () => `(letrec ((f ${lambda})) (* 2 (f ${first("f")})))`,
    () => `(letrec ((f ${lambda}) (g f)) (${f} ${first(f)}))`,
    () => `(define (f ${order("n", "g")}) ${body}) (f ${first("f")})`,
    () => `(let f (${order("(n 3)", "(g 1)")} (k 0)) ${body})`,
  ])();
}

test(`a procedure does the same as a loop and as a procedure, SEED=${seed}`, () => {
  const random = new Random(seed);
  let values = 0;
  for (let turn = 0; turn < 4000; turn++) {
    const source = programIn(random);
    const wanted = said(calling, source);
    if (!wanted.startsWith("E-")) values += 1;
    expect(said(looping, source), source).toBe(wanted);
  }
  expect(values).toBeGreaterThan(800);
});
