/**
 * Programs nested 10⁵ deep are read, expanded, encoded, evaluated and differentiated: nothing on
 * the way uses host recursion.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { expectUsable } from "./support.js";

const DEEP = 100_000;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

const nest = (open: string, core: string, close: string): string =>
  open.repeat(DEEP) + core + close.repeat(DEEP);

describe("10⁵ nested parentheses", () => {
  test.each([
    ["calls", nest("(- ", "x", ")"), "2"],
    ["operands on the right", nest("(+ 0 ", "x", ")"), "2"],
    ["lets", nest("(let ((x (* 1 x))) ", "x", ")"), "2"],
    ["branches", nest("(if #t ", "x", " 0)"), "2"],
    ["tests", nest("(if ", "#t", " #t #f)"), "#t"],
    ["sequences", nest("(begin ", "x", ")"), "2"],
    ["conds", nest("(cond (else ", "x", "))"), "2"],
    ["ands", nest("(and #t ", "x", ")"), "2"],
  ])("as %s", (_, source, expected) => {
    const program = machine.load(source);
    expect(program.evaluate(program.inputs.length === 0 ? {} : { x: 2 }).print()).toBe(expected);
    program.dispose();
    expectUsable(machine);
  });

  test("as quoted data, printed and read", () => {
    const program = machine.load(`'${nest("(", "", ")")}`);
    expect(program.evaluate().print()).toBe(nest("(", "", ")"));
    program.dispose();
  });

  test("with a gradient", () => {
    const program = machine.load(nest("(* 1.0 ", "x", ")"));
    const { values, gradients, stats } = program.gradient({ x: [2, 3] });
    expect([...values]).toEqual([2, 3]);
    expect([...(gradients["x"] ?? [])]).toEqual([1, 1]);
    expect(stats.tapeRecords).toBe(DEEP);
    program.dispose();
  });
});
