/**
 * Phase 0: what the eager interpreters cost and where it goes, and the same question of our
 * machine.
 */

import { type Block, table, text } from "../blocks.js";
import { chartSvg } from "../chart.js";
import { alloc, batch, boxing, decomposition, PROGRAMS, wallclock } from "../paper.js";
import { type Inline, type Quote, short } from "../quote.js";
import { type Section, TITLES } from "../section.js";

const suite = (program: string, backend: string, part: string): string =>
  `suite#${program}/${backend}/${part}`;

function wallclockBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => {
    const [forward, backward, , ratio] = wallclock[name] as [string, string, string, string];
    const torch = (part: string) => suite(name, "tagged PyTorch", part);
    return [
      TITLES[name] as string,
      forward,
      backward,
      ratio,
      q.figure(torch("forward"), 1e-3),
      q.figure(torch("backward"), 1e-3),
      q.ratio(torch("forward"), torch("backward")),
      q.figure(suite(name, "tagged TensorFlow.js", "forward"), 1e-3),
      q.figure(suite(name, "ndvm walked", "forward"), 1e-3),
      q.figure(suite(name, "ndvm", "forward"), 1e-3),
      q.figure(suite(name, "ndvm", "gradient"), 1e-3),
    ];
  });
  const head = [
    "program",
    "paper forward ms",
    "paper backward ms",
    "paper forward/backward",
    "tagged PyTorch forward ms",
    "backward ms",
    "forward/backward",
    "tagged TensorFlow.js forward ms",
    "ndvm walked forward ms",
    "ndvm forward ms",
    "ndvm forward+gradient ms",
  ];
  return [
    text(
      "One lane. The paper's DMCI is an interpreter written in the language it interprets; our tagged ",
      "interpreter walks the program itself, with the same tagged tensors, so it does less around the same values.",
    ),
    table(head, rows),
  ];
}

const BATCHES = [1, 8, 64, 256, 1024] as const;

function batchBlocks(q: Quote): Block[] {
  const four = PROGRAMS.slice(0, 4);
  const over = (name: string, backend: string, lanes: number) =>
    q.ratio(`batch#${name}/${backend}/${lanes}`, `batch#${name}/${backend}/1`);
  const rows = four.flatMap((name) => [
    [`${TITLES[name]}, paper`, ...(batch[name] ?? []).map((each) => `paper ${each}`)],
    ...["tagged PyTorch", "tuned PyTorch", "ndvm walked", "ndvm"].map((backend) => [
      `${TITLES[name]}, ${backend}`,
      ...BATCHES.map((lanes) => over(name, backend, lanes)),
    ]),
  ]);
  const lines = four.map((name) => ({
    name: TITLES[name] as string,
    points: BATCHES.flatMap((lanes): [number, number][] => {
      const [wide, one] = [lanes, 1].map((each) => q.value(`batch#${name}/tagged PyTorch/${each}`));
      return wide === undefined || one === undefined ? [] : [[lanes, wide / one]];
    }),
  }));
  const svg = chartSvg({
    title: "Tagged PyTorch: forward time over that of one lane",
    x: "lanes",
    y: "times one lane",
    isLogX: true,
    lines,
  });
  return [
    table(["forward time over that of one lane", ...BATCHES.map((each) => `${each} lanes`)], rows),
    { kind: "figure", name: "batch-independence", alt: "forward time over lanes", svg },
  ];
}

const OURS = ["boxing", "walking", "heap", "dispatch", "arithmetic", "other"] as const;

function decompositionBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => [
    TITLES[name] as string,
    `paper ${decomposition[name].join(" / ")}`,
    ...OURS.map((bucket) => q.figure(`profile#${name}/${bucket}`)),
    q.of([`profile#${name}/boxing`, `profile#${name}/walking`], (a, b) => a + b),
  ]);
  const head = [
    "program",
    "paper: representation / traversal / heap / dispatch / compute / wrappers, %",
    "boxing %",
    "walking %",
    "heap %",
    "dispatch %",
    "arithmetic %",
    "other %",
    "boxing + walking %",
  ];
  return [text("Tagged PyTorch, forward, by cProfile."), table(head, rows)];
}

const PARTS = ["reading", "boundary", "walking", "kernels", "backward"] as const;
type Part = (typeof PARTS)[number];

/**
 * What each part takes, of nested calls: text → program, a constant, forward both ways, with
 * gradient.
 */
export function partsOf(
  [read, empty, walked, replayed, back]: readonly [number, number, number, number, number],
  isWalked: boolean,
): Readonly<Record<Part, number>> {
  const forward = isWalked ? walked : replayed;
  const boundary = Math.min(empty, forward);
  const kernels = Math.max(0, Math.min(replayed, forward) - boundary);
  return {
    reading: isWalked ? read : 0,
    boundary,
    walking: Math.max(0, forward - kernels - boundary),
    kernels,
    backward: Math.max(0, back - forward),
  };
}

const sumOf = (parts: Readonly<Record<Part, number>>): number =>
  PARTS.reduce((sum, part) => sum + parts[part], 0);

function phase0Row(q: Quote, name: string, way: "walked" | "replayed", lanes: number): Inline[] {
  const refs = ["read", "empty", "walked", "replayed", `back ${way}`].map(
    (key) => `phase0#${name}/${lanes}/${key}`,
  );
  const of = (make: (parts: Readonly<Record<Part, number>>) => number, format = short) =>
    q.of(
      refs,
      (...times) =>
        make(partsOf(times as [number, number, number, number, number], way === "walked")),
      format,
    );
  const percent = (x: number) => x.toFixed(1);
  return [
    `${TITLES[name]}, ${way}, ${lanes === 1 ? "1 lane" : `${lanes} lanes`}`,
    of(sumOf),
    ...PARTS.map((part) => of((parts) => (100 * parts[part]) / sumOf(parts), percent)),
    of(
      (parts) => PARTS.reduce((sum, part) => sum + (100 * parts[part]) / sumOf(parts), 0),
      percent,
    ),
  ];
}

function phase0Blocks(q: Quote): Block[] {
  const rows = PROGRAMS.flatMap((name) =>
    (["walked", "replayed"] as const).flatMap((way) =>
      [1, 256].map((lanes) => phase0Row(q, name, way, lanes)),
    ),
  );
  return [
    text(
      "Where the time of our own machine goes, by differences of nested calls, so that a row adds up. Walked: from ",
      "the text to the gradient; replayed: from new numbers to the gradient. Walking is the evaluator with structure ",
      "and records: the machine does both in one pass, and no call does one without the other.",
    ),
    table(["program", "whole µs", ...PARTS.map((part) => `${part} %`), "sum %"], rows),
  ];
}

function boxingBlocks(q: Quote): Block[] {
  const rows = Object.entries(boxing).map(([name, [calls, walks, arithmetic, ratio]]) => {
    const at = (backend: string, part: string) => suite(name, backend, part);
    return [
      TITLES[name] as string,
      `paper ${calls} / ${walks} / ${arithmetic}`,
      `paper ${ratio}`,
      q.count(at("tagged PyTorch", "boxing")),
      q.count(at("tagged PyTorch", "walks")),
      q.count(at("tagged PyTorch", "arithmetic")),
      q.ratio(at("tagged PyTorch", "boxing"), at("tagged PyTorch", "arithmetic")),
      q.count(at("tagged TensorFlow.js", "boxing")),
      q.count(at("ndvm", "steps")),
      q.count(at("ndvm", "tape records")),
    ];
  });
  const head = [
    "program",
    "paper: boxing / walking / arithmetic calls",
    "paper boxing/arithmetic",
    "tagged PyTorch boxing calls",
    "walking calls",
    "arithmetic calls",
    "boxing/arithmetic",
    "tagged TensorFlow.js boxing calls",
    "ndvm steps of the walk",
    "ndvm tape records",
  ];
  return [text("Counted, not timed; the same in every run."), table(head, rows)];
}

function allocBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => {
    const [boxed, payloads, ratio] = alloc[name] as [string, string, string];
    const tagged = suite(name, "tagged PyTorch", "constructions");
    return [
      TITLES[name] as string,
      `paper ${boxed}`,
      `paper ${payloads}`,
      `paper ${ratio}`,
      q.count(tagged),
      q.figure(suite(name, "tagged PyTorch", "bytes"), 1 / 1024),
      q.count(suite(name, "tuned PyTorch", "constructions")),
      q.count(suite(name, "boxed C++", "constructions")),
      q.count(suite(name, "ndvm", "payloads")),
      q.count(suite(name, "ndvm", "objects")),
      q.ratio(tagged, suite(name, "ndvm", "payloads")),
    ];
  });
  const head = [
    "program",
    "paper boxed tensors",
    "paper payload slots",
    "paper reduction",
    "tagged tensors made",
    "KiB of them",
    "tuned tensors made",
    "boxed C++ objects made",
    "ndvm payloads",
    "ndvm heap objects",
    "tagged/ndvm",
  ];
  return [text("What one forward evaluation makes, counted."), table(head, rows)];
}

export const costSections: readonly Section[] = [
  {
    label: "tab:wallclock",
    title: "Wall-clock of the baseline",
    experiments: ["suite"],
    blocks: wallclockBlocks,
  },
  {
    label: "fig:batch_independence",
    title: "Forward time over the batch",
    experiments: ["batch"],
    blocks: batchBlocks,
  },
  {
    label: "fig:cost_decomposition",
    title: "Where the baseline's forward time goes",
    experiments: ["profile"],
    blocks: decompositionBlocks,
  },
  {
    label: "tab:boxing",
    title: "Calls of a forward pass",
    experiments: ["suite"],
    blocks: boxingBlocks,
  },
  {
    label: "tab:alloc",
    title: "Allocation of a forward pass",
    experiments: ["suite"],
    blocks: allocBlocks,
  },
  {
    label: "phase 0 of our machine",
    title: "Where our own time goes",
    experiments: ["phase0"],
    blocks: phase0Blocks,
  },
];
