/**
 * The paper's allocation table from the machine's own counters: what one evaluation makes.
 *
 * The paper counts boxed values of an eager interpreter and the payloads of its runtime; its
 * published figures are read from NDVM_CORPUS and stand beside ours.
 */

import { type Inputs, Machine, mat } from "../src/index.js";
import { payloadInfo } from "../src/machine/results/payloads.js";
import { readCase, readJsonCase } from "./support/corpus.js";
import { printEnvironment } from "./support/environment.js";
import { count, note, section, short, table } from "./support/table.js";

interface Published {
  readonly name: string;
  readonly src: string;
  readonly scalars: Readonly<Record<string, number>>;
  readonly matrices: Readonly<Record<string, { readonly data: number[]; readonly rows: number }>>;
}

printEnvironment();
section("Allocation of one evaluation, counted");
const programs = readJsonCase<Published[]>("reference/five_programs.json");
const paper = readCase("reference/paper_tables/alloc_counters_n128.txt");
if (programs && paper) await print(programs, parse(paper));

/** name → boxed values, peak KiB, payloads, ratio, steps, as the paper prints them. */
function parse(text: string): Map<string, string[]> {
  const rows = text.split("\n").map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.filter((row) => row.length === 6).map(([name, ...rest]) => [name as string, rest]),
  );
}

async function print(list: readonly Published[], published: Map<string, string[]>): Promise<void> {
  const machine = await Machine.create({ precision: "f32" });
  const rows = list.map(({ name, src, scalars, matrices }) => {
    const tensors = Object.entries(matrices).map(([key, { data, rows: height }]) => [
      key,
      mat(Float64Array.from(data), height),
    ]);
    const inputs: Inputs = { ...scalars, ...Object.fromEntries(tensors) };
    const program = machine.load(src, { domain: "clamp" });
    const forward = program.evaluate(inputs, { replay: false }).stats;
    // As the paper counts: numbers only. Its vectors and matrices are objects of another kind.
    const ids = Array.from({ length: forward.payloads }, (_, id) => id);
    const numbers = ids.filter((id) => payloadInfo(machine, id).rank === 0).length;
    const gradient = program.gradient(inputs, { replay: false, wrt: Object.keys(scalars) }).stats;
    const [boxed = "", peak = "", payloads = "", , steps = ""] = published.get(name) ?? [];
    const eager = Number(boxed.replaceAll(",", ""));
    return [
      name,
      boxed,
      peak,
      payloads,
      count(numbers),
      count(forward.payloads),
      `${short(eager / forward.payloads)}×`,
      count(forward.heapObjects),
      steps,
      count(forward.steps),
      count(gradient.tapeRecords),
      count(gradient.activePayloads),
      short((gradient.primalBytes + gradient.adjointBytes + gradient.tapeBytes) / 1024),
    ];
  });
  const theirs = ["paper: boxed", "peak KiB", "payloads"];
  const ours = [
    "here: numbers",
    "here: all",
    "boxed/here",
    "objects",
    "paper: steps",
    "here: steps",
  ];
  table(["program", ...theirs, ...ours, "tape records", "active", "gradient KiB"], rows);
  note("");
  note("Values of one lane in f32. Uniform payloads (literals, constants) count as payloads.");
  note("The paper's payloads are numbers; here: all has vectors and matrices, too.");
  machine.dispose();
}
