/**
 * Literals come back from a listing as they were: every kind, every size, exact or not, and so does what a
 * program makes of them.
 */

import { afterAll, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { disassemble } from "../../src/bytecode/disassemble.js";
import { readLiteral, writeLiteral } from "../../src/bytecode/literal.js";
import type { Literal } from "../../src/bytecode/program.js";
import { Machine, type NdvmError } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

const machines = [
  await Machine.create({ precision: "f64" }),
  await Machine.create({ precision: "f32" }),
];
afterAll(() => {
  for (const machine of machines) machine.dispose();
});

const literalOf = (text: string): Literal =>
  readLiteral({ text, span: { start: 0, end: text.length } });

/** The literal that the listing of a program has. */
function listed(text: string): Literal {
  const again = assemble(disassemble(assemble(`PUSH ${text}`)));
  const [code] = again.procedures[0]?.code ?? [];
  if (code?.kind !== "push") throw new Error(`PUSH ${text} became ${code?.text}`);
  return code.value;
}

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10)).join("");

/** Whole numbers around every power of two and ten that a number can hold, of either sign. */
function wholeTexts(): string[] {
  const twos = Array.from({ length: 1024 }, (_, bits) => 2n ** BigInt(bits));
  const tens = Array.from({ length: 309 }, (_, count) => 10n ** BigInt(count));
  return [...twos, ...tens].flatMap((size) =>
    [size - 1n, size, size + 1n].flatMap((value) => [`${value}`, `-${value}`, `+${value}`]),
  );
}

/** Numbers with a point or an exponent, of every magnitude. */
function realTexts(random: Random): string[] {
  const exponents = Array.from({ length: 640 }, (_, i) => i - 330);
  const texts = exponents.flatMap((exponent) => {
    const sign = random.pick(["", "-", "+"]);
    const start = `${sign}${random.between(1, 9)}`;
    return [
      `${sign}1e${exponent}`,
      `${start}.${digits(random, random.between(1, 17))}e${exponent}`,
      `${start}${random.pick([".", ".0", ".5", ""])}E${exponent}`,
      `${sign}.${digits(random, random.between(1, 20))}`,
    ];
  });
  return texts.filter((text) => Number.isFinite(Number(text)));
}

const NAMED = ["true", "#f", "nil", "()", "inf", "-inf", "nan", "'a", "'1", "'true", "'nil", "''x"];

test(`every literal is the same after it is listed, SEED=${seed}`, () => {
  const random = new Random(seed, 0);
  const long = Array.from({ length: 100 }, () => `1${digits(random, random.between(15, 307))}`);
  const texts = [
    ...wholeTexts(),
    ...long,
    ...realTexts(random),
    "0",
    "-0",
    "0.0",
    "-0.0",
    ...NAMED,
  ];
  for (const text of texts) {
    const literal = literalOf(text);
    // Compared by Object.is: 0 is not -0.
    expect(listed(text), text).toEqual(literal);
    expect(literalOf(writeLiteral(literal)), text).toEqual(literal);
  }
});

test("the digits of an exact number are those of the number", () => {
  for (const text of wholeTexts()) {
    const written = writeLiteral(literalOf(text));
    expect(written, text).toMatch(/^-?\d+$/);
    expect(Number(written), text).toBe(Number(text));
  }
});

test("numbers that are too large are refused as Scheme refuses them, and the largest are not", () => {
  const [machine] = machines as [Machine];
  const codeOf = (load: () => { dispose(): void }): string => {
    try {
      load().dispose();
      return "taken";
    } catch (error) {
      return `${(error as NdvmError).code}: ${(error as NdvmError).message}`;
    }
  };
  const most = BigInt(Number.MAX_VALUE);
  // Halfway to the next power of two, numbers round up to it.
  const limit = most + (2n ** 1024n - most) / 2n;
  const wholes = [most, most + 1n, limit - 1n, limit, 2n ** 1024n];
  const short = ["1e308", "1.797e308", "1.8e308", "1e309", "2.5E400", "9e99999"];
  for (const text of [...short, ...wholes.map(String)].flatMap((one) => [one, `-${one}`])) {
    const ofScheme = codeOf(() => machine.load(text));
    const ofStack = codeOf(() => machine.loadBytecode(`PUSH ${text}`));
    expect(ofStack.split(" ")[0], text).toBe(ofScheme.split(" ")[0]);
    expect(ofStack.includes("is too large for a number"), text).toBe(ofScheme !== "taken");
    expect(ofStack === "taken", text).toBe(Number.isFinite(Number(text)));
  }
});

test(`a listed literal is as exact to the machine as it was, SEED=${seed}`, () => {
  const random = new Random(seed, 1);
  const whole = wholeTexts();
  const real = realTexts(random);
  const texts = Array.from({ length: 200 }, (_, i) => random.pick(i % 2 === 0 ? whole : real));
  for (const machine of machines)
    for (const text of [...texts, "1000000000000000000000", "-1e21", "1e21", "-0", "-0.0"]) {
      const source = `PUSH ${text}\nDUP\nINTEGER?\nPUSH ${text}\nPUSH 7\nEQV?\nPUSH 1\nPUSH ${text}\nDIV\nLIST 4`;
      const first = machine.loadBytecode(source);
      const second = machine.loadBytecode(first.printCore());
      expect(second.evaluate().print(0), source).toBe(first.evaluate().print(0));
      first.dispose();
      second.dispose();
    }
});
