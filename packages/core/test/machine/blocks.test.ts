/**
 * Runs keep to their blocks of memory: whatever a program builds, the headers of the blocks behind those
 * that it fills still lead from one to the next. Every arena lies in a large free block here, so that there
 * is a header behind it.
 */
import { describe, expect, test } from "vitest";
import { type Inputs, Machine, type Program } from "../../src/index.js";
import { HEADER_BYTES } from "../../src/program/layout.js";
import { precisions } from "./support.js";

const ROOM = 2 ** 22;

/** A machine with a large free block, and what looks at all blocks from the first on. */
async function watched(precision: (typeof precisions)[number]) {
  const machine = await Machine.create({ precision });
  const { exports } = machine;
  // A block's header begins with its bytes and those of the block before it.
  const wordAt = (at: number): number => machine.views.words[at / 4] as number;
  const first = exports.allocate(16) - HEADER_BYTES;
  const bytesBefore = wordAt(first + 4);
  const room = exports.allocate(ROOM);
  exports.allocate(16);
  exports.free(room);
  const expectWhole = (what: string): void => {
    // Larger than what is free, so it is the last block.
    const last = exports.allocate(2 * ROOM) - HEADER_BYTES;
    let before = bytesBefore;
    let at = first;
    while (at < last) {
      expect(wordAt(at + 4), `${what} at ${at - first}`).toBe(before);
      before = wordAt(at);
      at += HEADER_BYTES + before;
    }
    expect(at, what).toBe(last);
    exports.free(last + HEADER_BYTES);
  };
  return { machine, expectWhole };
}

/** As many closures as `count`, each over `captured` values, and their sum. */
function closures(count: number, captured: number): string {
  const names = Array.from({ length: captured }, (_, i) => `c${i}`);
  const sum = [...names.map((name) => `LOAD ${name}`), "LOAD x", ...names.map(() => "ADD")];
  const one = [...names.map(() => "LOAD a"), "CLOSURE f", "LOAD a", "CALL 1"];
  const all = Array.from({ length: count }, () => one).flat();
  const adds = Array.from({ length: count - 1 }, () => "ADD");
  return [".proc f x", `.captures ${names.join(" ")}`, ...sum, ".end", ...all, ...adds].join("\n");
}

/** What Scheme keeps in memory: closures, pairs, vectors, frames, branches that part. */
const schemes: readonly ((n: number) => string)[] = [
  (n) => `(define (adder ${names(n)}) (lambda (x) (+ x ${names(n)}))) ((adder ${times(n, "a")}) a)`,
  (n) => `(apply + (list ${times(n, "a")}))`,
  (n) => `(vsum (vec ${times(n, "a")}))`,
  (n) => `(define (down k) (if (= k 0) a (+ a (down (- k 1))))) (down ${n})`,
  (n) => `(loop ((k 0) (s a)) (if (> s ${n}) s (recur (+ k 1) (+ s (if (< a 1) a 1)))))`,
  (n) => `(vsum (matvec (eye ${n}) (* a (ones ${n}))))`,
  (n) =>
    `(let (${names(n, (name) => `(${name} (list a a))`)}) (+ a ${names(n, (x) => `(car ${x})`)}))`,
];
const names = (n: number, of = (name: string) => name): string =>
  Array.from({ length: n }, (_, i) => of(`v${i}`)).join(" ");
const times = (n: number, text: string): string => Array(n).fill(text).join(" ");

describe.each(precisions)("in %s", (precision) => {
  const given: readonly Inputs[] = [{ a: 2 }, { a: [0.5, 1.5, 2.5] }];

  async function expectKept(load: (machine: Machine) => Program, what: string): Promise<void> {
    const { machine, expectWhole } = await watched(precision);
    const program = load(machine);
    for (const inputs of given)
      for (let turn = 0; turn < 2; turn++) {
        program.gradient(inputs);
        expectWhole(what);
      }
    program.dispose();
    expectWhole(what);
    machine.dispose();
  }

  test.each([1, 2, 3, 4, 7])("closures of stack code over %d values", async (captured) => {
    for (const count of [1, 2, 3, 4, 8, 16, 33]) {
      const source = closures(count, captured);
      await expectKept((machine) => machine.loadBytecode(source), `${count} closures`);
    }
  });

  test.each(schemes.map((make) => [make(2), make] as const))("%s and larger", async (_, make) => {
    for (const n of [1, 2, 3, 4, 5, 8, 15, 16, 31, 64]) {
      const source = make(n);
      await expectKept((machine) => machine.load(source), source);
    }
  });
});
