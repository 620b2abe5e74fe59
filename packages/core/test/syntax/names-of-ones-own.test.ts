/**
 * A name that the caller or the program gives a meaning has that meaning everywhere, whatever it meant
 * before: every word of the language as an input, a variable and a definition, against a name that means
 * nothing. And names that nothing gives a meaning are inputs, in the order of their first appearance.
 */

import { afterAll, describe, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { expand } from "../../src/syntax/expand.js";
import { builtinNames } from "../../src/syntax/names.js";
import { read } from "../../src/syntax/read.js";
import { refusedNames } from "../../src/syntax/refused.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

/** Places of a name: & is one that nothing gives a meaning. */
const PLACES = [
  ..."& (+ & 1)|(& 2)|(&)|(list & &)|(if & 1 2)|(begin 1 &)|(and & 5)|(or #f &)|[1 &]".split("|"),
  "(cond (& 1) (#t 2))",
  "(cond (#f 1) (& 2))",
  "(cond (#f 1) (& 2) (#t 3))",
  "(cond (&))",
  "(cond (1 & 3) (#t 4))",
  "(cond (1 & -) (#t 4))",
  "(cond (#f & -) (#t 4))",
  "(cond (#f 1) (#t 2 &))",
  "(case 1 ((2) 5) (& 3))",
  "(case & ((7) 1) ((8) 2))",
  "(case 1 ((1) & 2))",
  "(case 1 ((1) & -))",
  "(when & 3)",
  "(unless & 3)",
  "(let ((u &)) (+ u &))",
  "(let u ((v &)) (if (> v 8) v (u (+ v 1))))",
  "(let* ((u 1) (v &)) v)",
  "(letrec ((u (lambda () &))) (u))",
  "(do ((u 0 (+ u 1))) ((= u 2) &))",
  "(do ((u & (+ u 1))) ((> u 9) u) &)",
  "(loop ((u &)) (if (> u 8) u (recur (+ u 1))))",
  "(loop ((u &)) (if (> u 8) u (& (+ u 1))))",
  "(define (u v) (+ v &)) (u 2)",
  "(map (lambda (u) (+ u &)) (list 1 2))",
  "(apply + (list 1 &))",
  "`(1 ,&)",
  "`(1 ,@&)",
  "`(1 (& 2))",
  "`(1 . (& 2))",
  "`(1 (& (+ 1 2)))",
] as const;

/** What a program gives, or the code of its error. */
function said(source: string, inputs: readonly string[] | undefined): string {
  try {
    const program = machine.load(source, inputs === undefined ? {} : { inputs });
    try {
      const given = Object.fromEntries(program.inputs.map((name) => [name, 7]));
      return program.evaluate(given).print();
    } finally {
      program.dispose();
    }
  } catch (error) {
    if (error instanceof NdvmError) return error.code;
    throw error;
  }
}

/** Programs around a place that give & a meaning of its own. */
const BINDERS = [
  "(let ((& 7)) @)",
  "(let* ((& 7)) @)",
  "(letrec ((& 7)) @)",
  "((lambda (&) @) 7)",
  "(define & 7) @",
  "(let () (define & 7) @)",
  "(loop ((& 7)) @)",
  "(do ((& 7)) (#t @))",
] as const;

const tokens = (text: string): string[] => text.split(/[\s()[\]'`,@]+/);
const WORDS = [...builtinNames(), "constructor", "__proto__", "toString"];
const FORMS = WORDS.filter((name) =>
  /^(else|=>|if|let|cond|define|recur|un?quot|quasi)/.test(name),
);
const PLAIN = "zz";
/** Whether a text names a word already, itself or by the marks that the reader makes such a word of. */
const hasWord = (text: string, word: string): boolean =>
  tokens(text).includes(word) || (/quote/.test(word) && /[`,']/.test(text));
/** What was said of a word, as if it had been said of a plain name. */
const asPlain = (text: string, word: string): string =>
  text.replaceAll(/[^\s()]+/g, (token) => (token === word ? PLAIN : token));

describe("a word of the language that has a meaning of its own is like any other name", () => {
  test.each(PLACES)("as an input in %s", (place) => {
    const wanted = said(place.replaceAll("&", PLAIN), [PLAIN]);
    for (const word of WORDS) {
      if (hasWord(place, word)) continue;
      const source = place.replaceAll("&", word);
      expect(asPlain(said(source, [word]), word), source).toBe(wanted);
    }
  });

  test.each(BINDERS)("bound by %s", (binder) => {
    for (const place of PLACES) {
      const whole = binder.replace("@", () => place);
      const wanted = said(whole.replaceAll("&", PLAIN), undefined);
      for (const word of FORMS) {
        if (hasWord(whole, word)) continue;
        const source = whole.replaceAll("&", word);
        expect(asPlain(said(source, undefined), word), source).toBe(wanted);
      }
    }
  });
});

describe("a name that is left out of the language", () => {
  const refused = [...refusedNames.keys()];
  const isPlainWord = (name: string): boolean => /^[a-z]+$/.test(name);
  const codeOf = (source: string): string => {
    try {
      return expand(read(source)).inputs.join(" ");
    } catch (error) {
      if (error instanceof NdvmError) return error.code;
      throw error;
    }
  };

  test.each(refused)("%s is refused where it is called", (name) => {
    for (const source of [`(${name})`, `(${name} a)`, `(let ((u 1)) (${name} u a))`])
      expect(codeOf(source), source).toBe("E-REFUSED");
  });

  test("is an input where it is a word that a model may have, and refused otherwise", () => {
    for (const name of refused)
      for (const source of [`(map ${name} items)`, `(+ 1 ${name})`, name, `(if #t ${name} 2)`])
        expect(codeOf(source), source).toBe(
          isPlainWord(name) ? (source.includes("items") ? `${name} items` : name) : "E-REFUSED",
        );
  });
});

/** Programs of every form, with inputs a, b, … and variables u, v, …, which no input is called. */
function programIn(random: Random): string {
  let count = 0;
  const form = (depth: number, scope: readonly string[]): string => {
    const one = () => form(depth - 1, scope);
    const fresh = () => `u${count++}`;
    const over = (...names: string[]) => form(depth - 1, [...scope, ...names]);
    if (depth === 0 || random.chance(0.1))
      return random.pick(scope.length > 0 && random.chance(0.4) ? scope : [..."abcdefghijklm"]);
    const [u, v] = [fresh(), fresh()];
    return random.pick<() => string>([
      () => `(+ ${one()} ${one()})`,
      () => `(let ((${u} ${one()}) (${v} ${one()})) ${over(u, v)})`,
      () => `(let* ((${u} ${one()}) (${v} ${over(u)})) ${over(u, v)})`,
      () => `(let ${u} ((${v} ${one()})) ${over(u, v)})`,
      () => `(letrec ((${u} (lambda (${v}) ${over(u, v)}))) ${over(u)})`,
      () => `((lambda (${u} . ${v}) ${over(u, v)}) ${one()} ${one()})`,
      () => `(let () (define (${u} ${v}) ${over(u, v)}) (define ${fresh()} ${one()}) ${over(u)})`,
      () => `(if ${one()} ${one()} ${one()})`,
      () => `(cond (${one()} ${one()}) (${one()} => ${one()}) (else ${one()} ${one()}))`,
      () => `(case ${one()} ((1 2) ${one()}) (else ${one()}))`,
      () => `(and ${one()} ${one()} ${one()})`,
      () => `(or ${one()} ${one()} ${one()})`,
      () => `(when ${one()} ${one()})`,
      () => `(unless ${one()} ${one()} ${one()})`,
      () => `(do ((${u} ${one()} ${over(u)})) (${over(u)} ${over(u)}) ${over(u)})`,
      () => `(loop ((${u} ${one()}) (${v} ${one()})) ${over(u, v)})`,
      () => `(begin ${one()} ${one()})`,
      () => `[${one()} ${one()}]`,
      () => `(map ${one()} ${one()} ${one()})`,
      () => `(fold-left ${one()} ${one()} ${one()})`,
      () => `\`(1 ,${one()} ,@${one()})`,
      () => `(${one()} ${one()})`,
    ])();
  };
  const define = random.chance(0.3) ? `(define (w z) ${form(2, ["w", "z"])}) ` : "";
  return define + form(random.between(1, 4), []);
}

test(`inputs come in the order in which the text first names them, SEED=${seed}`, () => {
  const random = new Random(seed);
  let judged = 0;
  for (let turn = 0; turn < 3000; turn++) {
    const source = programIn(random);
    let inputs: readonly string[];
    try {
      inputs = expand(read(source)).inputs;
    } catch (error) {
      // An input that is called is refused by name.
      if (error instanceof NdvmError) continue;
      throw error;
    }
    judged += 1;
    const wanted = new Set(tokens(source).filter((token) => /^[a-m]$/.test(token)));
    expect(inputs, source).toEqual([...wanted]);
  }
  expect(judged).toBeGreaterThan(1000);
});
