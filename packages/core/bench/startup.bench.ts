/**
 * What comes before the first number: text to loaded program, text to first gradient in a warm
 * process, import to first gradient in a cold one, and the size of what is shipped.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Machine } from "../src/index.js";
import { Checksum } from "./support/checksum.js";
import { printEnvironment, repositoryRoot } from "./support/environment.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import { reach } from "./support/targets.js";
import { measure, type Spread, type Subject, spreadOf } from "./support/timing.js";

printEnvironment();
section("Text to numbers, warm process, f32");
const machine = await Machine.create({ precision: "f32" });
const sum = new Checksum();

/** A program nobody has seen: a constant in its text is new at each call. */
const oscillatorText = (turn: number) =>
  `(* A (* (exp (- 0 (* b t))) (cos (+ (* omega t) 0.${1000 + (turn % 9000)}))))`;
const michaelisText = (turn: number) => `(/ (* Vmax S) (+ Km (* 1.${1000 + (turn % 9000)} S)))`;

function firstGradient(name: string, text: (turn: number) => string, names: string[]): Subject {
  return {
    name,
    call(turn) {
      const program = machine.load(text(turn), { domain: "clamp" });
      const value = 1 + (turn % 64) / 64;
      const inputs = Object.fromEntries(names.map((each, i) => [each, value + i]));
      const { values, gradients } = program.gradient(inputs);
      if (turn < 8) for (const numbers of [values, ...Object.values(gradients)]) sum.add(numbers);
      program.dispose();
    },
  };
}

/** 100 tokens: parentheses, names and numbers. */
const hundredTokens = (turn: number) => {
  const term = (i: number) => `(* a (exp (* b (+ x ${i}.${1000 + (turn % 9000)}))))`;
  const names = `(u ${term(1)}) (v ${term(2)}) (w ${term(3)})`;
  return `(let* (${names})
    (if (< u v) (+ u (* v w)) (- v (sin (* u w)) (sqrt (+ u v 2)))))`;
};
const tokens = hundredTokens(0).match(/[()]|[^\s()]+/g)?.length ?? 0;

const subjects: Subject[] = [
  firstGradient("damped oscillator: text → value and gradient", oscillatorText, [
    "A",
    "b",
    "t",
    "omega",
  ]),
  firstGradient("Michaelis-Menten: text → value and gradient", michaelisText, ["Vmax", "S", "Km"]),
  {
    name: "damped oscillator: text → loaded",
    call: (turn) => machine.load(oscillatorText(turn)).dispose(),
  },
  {
    name: `${tokens} tokens: text → loaded`,
    call: (turn) => machine.load(hundredTokens(turn)).dispose(),
  },
];
const spreads = measure(subjects, amount(1200, 4));
table(
  ["work", ...SPREAD_HEADINGS],
  subjects.map(({ name }, i) => [name, ...spreadCells(spreads[i] as Spread)]),
);
note(`checksum of the first gradients ${sum}`);
const [oscillatorCost, michaelisCost] = spreads as [Spread, Spread];
reach(
  "textToGradient",
  oscillatorCost.minimum,
  `Michaelis-Menten ${short(michaelisCost.minimum)} µs`,
);
machine.dispose();

section("Import to first gradient, cold process");
const script = (entry: string) => `
  const started = performance.now();
  const { Machine } = await import("${entry}");
  const imported = performance.now();
  const machine = await Machine.create({ precision: "f32" });
  const created = performance.now();
  const { gradients } = machine.load("(* a (exp (* k t)))").gradient({ a: 2, k: -0.5, t: 1 });
  const done = performance.now();
  const parts = [imported - started, created - imported, done - created, done - started, done];
  console.log(parts.join(" "), gradients.a[0]);`;
const EMPTY = "console.log('0 0 0 0', performance.now(), 0)";
const command = fileURLToPath(new URL("../../cli/bin/ndvm.js", import.meta.url));
/** Prints the processor's time when a process ends: all threads, so never less than the clock's. */
const AT_EXIT = `data:text/javascript,process.on("exit",()=>{
  const{user,system}=process.cpuUsage();process.stderr.write(String((user+system)/1000))})`;
const module = ["--input-type=module", "-e"] as const;
/** Programs for Node that print what their parts took; the command prints its value alone. */
const cold: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["an empty Node", [...module, EMPTY]],
  ["@ndvm/core", [...module, script("@ndvm/core")]],
  ["@ndvm/core/machine", [...module, script("@ndvm/core/machine")]],
  ["@ndvm/core, module by module", ["--conditions=development", ...module, script("@ndvm/core")]],
  ["ndvm eval", [command, "eval", "-e", "(* 2 (exp -0.5))"]],
];
const runs: number[][][] = cold.map(() => []);
for (let round = 0; round < amount(30, 2); round++) {
  cold.forEach(([, args], i) => {
    const options = { cwd: repositoryRoot, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [`--import=${AT_EXIT}`, ...args],
      options,
    );
    const parts = stdout.split(" ").map(Number).slice(0, 5);
    (runs[i] as number[][]).push([...parts, ...Array(5 - parts.length).fill(0), Number(stderr)]);
  });
}
const least = (i: number, part: number) =>
  spreadOf((runs[i] as number[][]).map((run) => run[part] as number)).minimum;
const cellOf = (i: number, part: number) => (least(i, part) > 0 ? short(least(i, part)) : "");
table(
  ["process", "import", "create", "load, gradient", "start → gradient", "processor", "over empty"],
  cold.map(([name], i) => [
    name,
    ...(name === "ndvm eval" ? ["", "", "", ""] : [0, 1, 2, 4].map((part) => cellOf(i, part))),
    short(least(i, 5)),
    i === 0 ? "" : short(least(i, 5) - least(0, 5)),
  ]),
);
note(
  "milliseconds, minima of processes that took turns; processor: the whole process, all threads",
);
const empty = `an empty Node takes ${short(least(0, 5))} ms of the processor`;
reach("cold", least(1, 3), empty);
reach("coldGradient", least(1, 5) - least(0, 5), empty);
reach("coldCommand", least(4, 5) - least(0, 5), empty);

section("Size of the WebAssembly files");
table(
  ["file", "bytes", "gzip"],
  ["f32", "f64"].map((precision) => {
    const name = `ndvm-${precision}.wasm`;
    const bytes = readFileSync(join(repositoryRoot, "packages/core/build", name));
    return [name, count(bytes.length), count(gzipSync(bytes, { level: 9 }).length)];
  }),
);
