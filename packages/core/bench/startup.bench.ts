/**
 * What comes before the first number: text to loaded program, text to first gradient in a warm
 * process, import to first gradient in a cold one, and the size of what is shipped.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Machine } from "../src/index.js";
import { Checksum } from "./support/checksum.js";
import { type ColdProcess, coldProcesses, overEmpty } from "./support/cold.js";
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
import { measure, type Spread, type Subject } from "./support/timing.js";

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
const cold = coldProcesses();
const [emptyNode, core] = cold as [ColdProcess, ColdProcess];
const cellOf = (milliseconds: number | undefined) =>
  milliseconds === undefined ? "" : short(milliseconds);
table(
  ["process", "import", "create", "load, gradient", "start → gradient", "processor", "over empty"],
  cold.map(({ name, parts, fromStart, processor }) => [
    name,
    ...[parts?.import, parts?.create, parts?.gradient].map(cellOf),
    name === "ndvm eval" ? "" : short(fromStart),
    short(processor.minimum),
    name === emptyNode.name ? "" : short(overEmpty(name)),
  ]),
);
note(
  "milliseconds, minima of processes that took turns; processor: the whole process, all threads",
);
const empty = `an empty Node takes ${short(emptyNode.processor.minimum)} ms of the processor`;
reach("cold", core.fromImport, empty);
reach("coldGradient", overEmpty(core.name), empty);
reach("coldCommand", overEmpty("ndvm eval"), empty);

section("Size of the WebAssembly files");
table(
  ["file", "bytes", "gzip"],
  ["f32", "f64"].map((precision) => {
    const name = `ndvm-${precision}.wasm`;
    const bytes = readFileSync(join(repositoryRoot, "packages/core/build", name));
    return [name, count(bytes.length), count(gzipSync(bytes, { level: 9 }).length)];
  }),
);
