/**
 * Phase 0: what the eager interpreters cost and where it goes, and the same question of our
 * machine.
 */

import { PARTS } from "../../harness/parts.js";
import { type Block, table, text } from "../blocks.js";
import { chartSvg } from "../chart.js";
import { alloc, batch, boxing, decomposition, PROGRAMS, wallclock } from "../paper.js";
import type { Inline, Quote } from "../quote.js";
import { type Section, TITLES } from "../section.js";

const suite = (program: string, backend: string, part: string): string =>
  `suite#${program}/${backend}/${part}`;

function wallclockBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => {
    const [forward, backward, , ratio] = wallclock[name] as [string, string, string, string];
    const torch = (part: string) => suite(name, "tagged PyTorch", part);
    const dmci = (part: string) => suite(name, "DMCI", part);
    return [
      TITLES[name] as string,
      forward,
      backward,
      ratio,
      q.figure(torch("forward"), 1e-3),
      q.figure(torch("backward"), 1e-3),
      q.ratio(torch("forward"), torch("backward")),
      q.figure(dmci("forward"), 1e-3),
      q.figure(dmci("backward"), 1e-3),
      q.ratio(dmci("forward"), dmci("backward")),
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
    "DMCI forward ms",
    "DMCI backward ms",
    "DMCI forward/backward",
    "tagged TensorFlow.js forward ms",
    "ndvm walked forward ms",
    "ndvm forward ms",
    "ndvm forward+gradient ms",
  ];
  return [
    text(
      "One lane. DMCI is the paper's baseline, run from the author's checkout where there is one: an interpreter ",
      "written in the language it interprets, whose own graph is walked for every step of the program. Our tagged ",
      "interpreter has the same tagged tensors and walks the program itself, one level instead of two, so it does ",
      "less around the same values. Claims about the baseline are judged by DMCI.",
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
    ...["DMCI", "tagged PyTorch", "tuned PyTorch", "ndvm walked", "ndvm"].map((backend) => [
      `${TITLES[name]}, ${backend}`,
      ...BATCHES.map((lanes) => over(name, backend, lanes)),
    ]),
  ]);
  const drawn = q.has("batch#scalar/DMCI/1") ? "DMCI" : "tagged PyTorch";
  const lines = four.map((name) => ({
    name: TITLES[name] as string,
    points: BATCHES.flatMap((lanes): [number, number][] => {
      const [wide, one] = [lanes, 1].map((each) => q.value(`batch#${name}/${drawn}/${each}`));
      return wide === undefined || one === undefined ? [] : [[lanes, wide / one]];
    }),
  }));
  const svg = chartSvg({
    title: `${drawn}: forward time over that of one lane`,
    x: "lanes",
    y: "times one lane",
    isLogX: true,
    lines: [
      ...lines,
      ...four.map((name) => ({
        name: `${TITLES[name]}, paper`,
        isDashed: true,
        points: BATCHES.map((lanes, i): [number, number] => [lanes, batch[name]?.[i] as number]),
      })),
    ],
  });
  return [
    table(["forward time over that of one lane", ...BATCHES.map((each) => `${each} lanes`)], rows),
    { kind: "figure", name: "batch-independence", alt: "forward time over lanes", svg },
  ];
}

const OURS = ["boxing", "walking", "heap", "dispatch", "arithmetic", "other"] as const;

function decompositionBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.flatMap((name) =>
    ["DMCI", "tagged PyTorch"].map((backend) => {
      const at = (bucket: string) => `profile#${name}/${backend}/${bucket}`;
      return [
        `${TITLES[name]}, ${backend}`,
        backend === "DMCI" ? `paper ${decomposition[name].join(" / ")}` : "",
        ...OURS.map((bucket) => q.figure(at(bucket))),
        q.of([at("boxing"), at("walking")], (a, b) => a + b),
      ];
    }),
  );
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
  return [
    text(
      "Forward, by cProfile. The time of PyTorch's own functions goes to who called them, where the paper ",
      "counts the interpreter's own lines only; other is what wraps operations. A profiled call of the Kalman program ",
      "takes DMCI half a minute, so there is one sample of it.",
    ),
    table(head, rows),
    sharesFigure(q),
  ];
}

/** The baseline's shares, with the paper's beside the two that matter. */
function sharesFigure(q: Quote): Block {
  const drawn = q.has("profile#scalar/DMCI/boxing") ? "DMCI" : "tagged PyTorch";
  const measured = OURS.map((bucket) => ({
    name: bucket,
    points: PROGRAMS.flatMap((program, i): [number, number][] => {
      const share = q.value(`profile#${program}/${drawn}/${bucket}`);
      return share === undefined ? [] : [[i + 1, share]];
    }),
  }));
  const published = ["boxing", "walking"].map((bucket, column) => ({
    name: `${bucket}, the paper's DMCI`,
    isDashed: true,
    points: PROGRAMS.map((program, i): [number, number] => [
      i + 1,
      Number(decomposition[program][column]),
    ]),
  }));
  const svg = chartSvg({
    title: `${drawn}: shares of forward time`,
    x: "program: 1 scalar, 2 Michaelis–Menten, 3 oscillator, 4 logistic, 5 Kalman",
    y: "%",
    lines: [...measured, ...published],
  });
  return { kind: "figure", name: "cost-decomposition", alt: "shares of forward time", svg };
}

function phase0Row(q: Quote, name: string, way: string, lanes: number): Inline[] {
  const at = (part: string) => `phase0#${name}/${lanes}/${way}/${part}`;
  const refs = PARTS.map(at);
  const percent = (x: number) => x.toFixed(1);
  const sum = (shares: readonly number[]) => shares.reduce((total, each) => total + each, 0);
  // Medians of shares need not add up to a hundred; their parts of the sum do.
  const shares = PARTS.map((_, i) =>
    q.of(refs, (...all) => (100 * (all[i] as number)) / sum(all), percent),
  );
  return [
    `${TITLES[name]}, ${way}, ${lanes === 1 ? "1 lane" : `${lanes} lanes`}`,
    q.figure(at("whole")),
    ...shares,
    q.of(refs, (...all) => sum(all.map((each) => (100 * each) / sum(all))), percent),
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
      "Where the time of our own machine goes. Walked: from the text to the gradient; replayed: from new numbers to ",
      `the gradient. Instrument: ${q.condition("phase0", "instrument") ?? "—"}. Structure is values, payload entries, `,
      "shapes, records, lists and memory; backward has its kernels with it; boundary is JavaScript around a call.",
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
      q.count(at("DMCI", "boxing")),
      q.count(at("DMCI", "walks")),
      q.count(at("DMCI", "arithmetic")),
      q.ratio(at("DMCI", "boxing"), at("DMCI", "arithmetic")),
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
    "DMCI boxing calls",
    "DMCI walking calls",
    "DMCI arithmetic calls",
    "DMCI boxing/arithmetic",
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
    const dmci = suite(name, "DMCI", "constructions");
    return [
      TITLES[name] as string,
      `paper ${boxed}`,
      `paper ${payloads}`,
      `paper ${ratio}`,
      q.count(dmci),
      q.ratio(dmci, suite(name, "ndvm", "payloads")),
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
    "DMCI tensors made",
    "DMCI/ndvm",
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
