/**
 * The boxed interpreters as something to call: AssemblyScript in this process, C++ as a process.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildAssemblyScript, buildCpp, evidenceFolder } from "../../harness/tools.js";
import { type Case, namesOf, tablesOf, VARIANTS } from "../../programs.js";
import { readTree, type Tree } from "../tree.js";

const folder = join(evidenceFolder, "baselines/native");

/** The words of the language, in the order of boxed.cpp and boxed.as.ts. */
const WORDS =
  "if let let* loop recur + - * / exp log sin cos sqrt abs = < > vec mat eye scale ref inv det dot matmul matvec".split(
    " ",
  );

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly constructions: WebAssembly.Global;
  wordsAt(): number;
  readProgram(): void;
  bindNumber(name: number, x: number): void;
  bindMatrix(name: number, rows: number, cols: number): void;
  setInput(i: number, x: number): void;
  run(): number;
}

export interface BoxedScript {
  at(numbers: readonly number[]): number;
  call(turn: number): void;
  /** Objects that one evaluation makes. */
  constructions(): number;
}

export function boxedScript(one: Case): BoxedScript {
  const module = new WebAssembly.Module(
    readFileSync(buildAssemblyScript(join(folder, "boxed.as.ts"), "incremental")),
  );
  const abort = () => {
    throw new Error("the boxed interpreter failed");
  };
  const exports = new WebAssembly.Instance(module, { env: { abort } })
    .exports as unknown as Exports;
  const names = new Map(WORDS.map((word, id) => [word, id]));
  const idOf = (word: string): number => {
    const id = names.get(word) ?? names.size;
    names.set(word, id);
    return id;
  };
  // The collector may move nothing, but memory may grow: views are taken fresh.
  const words = () => new Int32Array(exports.memory.buffer, exports.wordsAt(), 4096);
  words().set(wordsOf(readTree(one.source), idOf));
  exports.readProgram();
  for (const name of namesOf(one)) exports.bindNumber(idOf(name), one.parameters[name] as number);
  for (const [name, { data, rows, cols }] of Object.entries(one.matrices)) {
    words().set(data.map(bitsOf));
    exports.bindMatrix(idOf(name), rows, cols);
  }
  const tables = tablesOf(one, 1);
  const at = (numbers: readonly number[]): number => {
    numbers.forEach((x, i) => {
      exports.setInput(i, x);
    });
    return exports.run();
  };
  return {
    at,
    call: (turn) => void at(tables.map((table) => table[turn % VARIANTS]?.[0] as number)),
    constructions: () => {
      const before = exports.constructions.value as number;
      exports.run();
      return (exports.constructions.value as number) - before;
    },
  };
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
function bitsOf(x: number): number {
  float[0] = x;
  return bits[0] as number;
}

function wordsOf(tree: Tree, idOf: (word: string) => number): number[] {
  if (typeof tree === "number") return [1, bitsOf(tree)];
  if (typeof tree === "string") return [2, idOf(tree)];
  return [-1, ...tree.flatMap((each) => wordsOf(each, idOf)), -2];
}

export interface NativeRun {
  readonly value: number;
  readonly constructions: number;
  /** Microseconds of one evaluation. */
  readonly forward: readonly number[];
}

/** Undefined where there is no compiler. */
export function runBoxedCpp(one: Case, runs: number, calls: number): NativeRun | undefined {
  const file = buildCpp(join(folder, "boxed.cpp"));
  if (file === undefined) return undefined;
  const text = execFileSync(file, [String(runs), String(calls)], {
    input: inputLines(one),
  }).toString();
  return {
    value: linesOf(text, "result")[0] as number,
    constructions: linesOf(text, "constructions")[0] as number,
    forward: linesOf(text, "forward").map((nanoseconds) => nanoseconds / 1000),
  };
}

/** A program as the C++ drivers read it: its text in a line, then its inputs. */
export function inputLines({ source, parameters, matrices }: Case): string {
  const lines = [
    source.replace(/\s+/g, " "),
    ...Object.entries(parameters).map(([name, x]) => `${name} ${x}`),
    ...Object.entries(matrices).map(
      ([name, { rows, cols, data }]) => `${name} ${rows} ${cols} ${data.join(" ")}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** The numbers of the line of what a driver printed that begins with a name. */
export function linesOf(text: string, name: string): number[] {
  const line = text.split("\n").find((each) => each.startsWith(`${name} `)) ?? "";
  return line.split(" ").slice(1).map(Number);
}
