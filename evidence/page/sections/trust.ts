/**
 * Trust: what each mechanism is worth at the same bits, differential testing, divergence, the
 * second client, adjoints, features, and how much the samples vary.
 */

import { type Block, table, text } from "../blocks.js";
import { PROGRAMS, fuzz as paperFuzz, secondClient, variance } from "../paper.js";
import { type Inline, type Quote, short } from "../quote.js";
import { type Section, TITLES } from "../section.js";

const entriesOf = (q: Quote, experiment: string): readonly string[] =>
  Object.keys(q.results.experiments.get(experiment)?.entries ?? {});
const yes = (x: number): string => (x === 1 ? "yes" : "no");

function phasesBlocks(q: Quote): Block[] {
  const cases = entriesOf(q, "ablation").filter((key) => key.endsWith("/same bits"));
  const rows = cases.map((entry) => {
    const key = entry.slice(0, -"/same bits".length);
    const counters = entriesOf(q, "ablation").filter(
      (each) => each.startsWith(`${key}/`) && /\s(on|off)$/.test(each),
    );
    const counted = counters.flatMap((each): Inline[] => [
      `${each.slice(key.length + 1)} `,
      q.count(`ablation#${each}`),
      " ",
    ]);
    return [
      key.replaceAll("/", ", "),
      q.figure(`ablation#${key}/on`),
      q.figure(`ablation#${key}/off`),
      q.ratio(`ablation#${key}/off`, `ablation#${key}/on`),
      q.of([`ablation#${entry}`], (x) => x, yes),
      counted.length === 0 ? "" : joined(counted),
      entriesOf(q, "ablation").includes(`${key}/reading`)
        ? q.figure(`ablation#${key}/reading`)
        : "",
    ];
  });
  return [
    text(
      "Forward and gradient with each mechanism turned off by itself, and with all switches off (rows all); lanes as named. ",
      "In the paper's words: loops is frame reuse, integerPool and adjointReuse are the pools; replay, chunks, smallShapes and ",
      `sorting are ours. ${q.condition("ablation", "not switched") ?? ""}.`,
    ),
    table(
      [
        "mechanism, program, lanes",
        "on µs",
        "off µs",
        "off/on",
        "same bits",
        "counter",
        "of off: reading the text µs",
      ],
      rows,
    ),
  ];
}

/** Several parts as one cell, which keeps where they come from. */
function joined(parts: readonly Inline[]): Inline {
  const cells = parts.filter((part) => typeof part !== "string");
  return {
    text: parts
      .map((part) => (typeof part === "string" ? part : part.text))
      .join("")
      .trim(),
    from: cells.flatMap(({ from }) => from),
    value: undefined,
  };
}

function fuzzBlocks(q: Quote): Block[] {
  const families = [
    ...new Set(
      entriesOf(q, "fuzz")
        .filter((key) => key.startsWith("1234/"))
        .map((key) => key.split("/").slice(1, -1).join("/")),
    ),
  ];
  const share = (seed: number, family: string, gate: string) => {
    const judged = gate === "G3" ? "judged by G3" : "judged";
    return q.of(
      [`fuzz#${seed}/${family}/${gate}`, `fuzz#${seed}/${family}/${judged}`],
      (passed, all) => (all === 0 ? undefined : (100 * passed) / all),
      (x) => `${x.toFixed(1)} %`,
    );
  };
  const rows = families.map((family) => [
    family,
    paperFuzz[family] === undefined ? "" : `paper ${paperFuzz[family]}, all pass`,
    ...[1234, 7].flatMap((seed) => [
      q.count(`fuzz#${seed}/${family}/programs`),
      q.count(`fuzz#${seed}/${family}/judged`),
      ...["G1", "G2", "G3"].map((gate) => share(seed, family, gate)),
    ]),
  ]);
  const columns = (seed: number) =>
    ["programs", "judged", "G1", "G2", "G3"].map((name) => `${name}, seed ${seed}`);
  return [
    text(
      "Our own generator, over the whole language. ",
      `Corpus of seed 1234: ${q.condition("fuzz", "corpus 1234") ?? "—"}; of seed 7: ${q.condition("fuzz", "corpus 7") ?? "—"}. `,
      `Oracle: ${q.condition("fuzz", "oracle") ?? "—"}. `,
      "G1 forward (1e-4), G2 gradient (2e-3), G3 central differences (1e-2 and 5e-2 relative, away from branches).",
    ),
    table(["family", "paper", ...columns(1234), ...columns(7)], rows),
  ];
}

function divergenceBlocks(q: Quote): Block[] {
  const names = entriesOf(q, "divergence")
    .filter((key) => key.endsWith("/lanes"))
    .map((key) => key.slice(0, -"/lanes".length));
  const rows = names.map((name) => {
    const at = (part: string) => `divergence#${name}/${part}`;
    return [
      name,
      q.count(at("lanes")),
      q.count(at("same bits")),
      q.count(at("mixed branches")),
      q.count(at("buckets")),
      q.figure(at("per lane")),
    ];
  });
  return [
    text("Each lane of a batch that parts, against the same lane alone, bit by bit."),
    table(
      ["case", "lanes", "same bits", "branches that ran both sides", "buckets", "µs a lane"],
      rows,
    ),
  ];
}

function clientBlocks(q: Quote): Block[] {
  const rows = Object.entries(secondClient).map(([name, figures]) => {
    const at = (part: string) => `second-client#${name}/${part}`;
    return [
      name,
      `paper ${figures.join(" / ")}`,
      q.figure(at("fused walked")),
      q.figure(at("split walked")),
      q.ratio(at("fused walked"), at("split walked")),
      q.figure(at("fused")),
      q.figure(at("split")),
      q.ratio(at("fused"), at("split")),
      q.figure(at("wide"), 1 / 256),
      q.of(
        [at("split"), at("wide")],
        (one, wide) => (256 * one) / wide,
        (x) => `${short(x)}×`,
      ),
      q.of([at("same bits")], (x) => x, yes),
    ];
  });
  const head = [
    "workload",
    "paper: fused ms / split ms / µs a lane / speed-up",
    "fused walked µs",
    "split walked µs",
    "split is",
    "fused µs",
    "split µs",
    "split is ",
    "µs a lane at 256",
    "one lane/lane",
    "same bits",
  ];
  return [
    text(
      "Forward and gradient of stack code. Both representations run on the same evaluator and kernels. The client's own code has ",
      q.count("second-client#lines"),
      " lines (paper: 219 on a shared interface of 120).",
    ),
    table(head, rows),
  ];
}

function adjointBlocks(q: Quote): Block[] {
  const names = entriesOf(q, "adjoints").map((key) => key.slice(0, -"/error".length));
  const rows = names.map((name) => {
    const [forward = "", adjoint = ""] = (q.condition("adjoints", name) ?? "").split(" → ");
    return [`\`${name}\``, forward, adjoint, q.figure(`adjoints#${name}/error`)];
  });
  return [
    text(
      "Generated from the declarations. The last column is the largest distance of the gradient from central ",
      "differences of the machine's own values at eight points.",
    ),
    table(["primitive", "forward", "what operands' adjoints receive", "error"], rows),
  ];
}

function featureBlocks(q: Quote): Block[] {
  const names = entriesOf(q, "features").map((key) => key.slice(0, -"/cases".length));
  const rows = names.map((name) => [
    name,
    q.count(`features#${name}/cases`),
    q.condition("features", name) ?? "",
  ]);
  return [
    text(
      "Features of the paper's table, all built here, with the cases of the tests behind each. Built here and future work in the ",
      "paper: randomized programs with closures, lists and matrices; define-recursion; structural divergence (buckets); a boundary ",
      "to a second tensor library. Not built: a GPU interpreter, MLIR or Enzyme lowering, a machine-checked proof.",
    ),
    table(["feature", "cases", "tests"], rows),
  ];
}

function varianceBlocks(q: Quote): Block[] {
  /** The backend, and which of the paper's three it is. */
  const backends: readonly (readonly [string, number?])[] = [
    ["DMCI", 0],
    ["tagged PyTorch"],
    ["tuned PyTorch", 1],
    ["tagged TensorFlow.js"],
    ["tuned TensorFlow.js"],
    ["ndvm", 2],
    ["staged JavaScript"],
    ["staged WebAssembly"],
    ["boxed C++"],
    ["author's runtime"],
  ];
  const rows = PROGRAMS.flatMap((name) =>
    backends.map(([backend, column]) => {
      const ref = `suite#${name}/${backend}/forward`;
      const theirs = column === undefined ? undefined : variance[name]?.[column];
      return [
        `${TITLES[name]}, ${backend}`,
        theirs === undefined ? "" : `paper ${theirs}`,
        q.of(
          [ref],
          () => q.statistic(ref, "count").value,
          (x) => String(x),
        ),
        q.figure(ref),
        q.statistic(ref, "median"),
        q.statistic(ref, "low"),
        q.statistic(ref, "high"),
        q.statistic(ref, "cv", 100),
        q.interval(ref),
      ];
    }),
  );
  const head = [
    "program and backend, forward",
    "paper CV %",
    "samples",
    "least µs",
    "median µs",
    "lower quartile",
    "upper quartile",
    "CV %",
    "95 % interval of the median",
  ];
  return [
    text(
      "Bootstrap of the median, 400 resamples, a fixed seed. Other users of the computer are in these figures. At least ",
      "twelve samples each in a full run, as the paper takes; the last section lists every other time that has fewer, and why.",
    ),
    table(head, rows),
  ];
}

function manifestBlocks(q: Quote): Block[] {
  const rows = Object.entries(q.results.manifest).map(([name, words]) => [name, words]);
  return [table(["what", "this run"], rows)];
}

export const trustSections: readonly Section[] = [
  {
    label: "tab:phases",
    title: "What each mechanism is worth",
    experiments: ["ablation"],
    blocks: phasesBlocks,
  },
  {
    label: "tab:fuzz-coverage",
    title: "Differential testing: G1, G2, G3",
    experiments: ["fuzz"],
    blocks: fuzzBlocks,
  },
  {
    label: "D1–D6",
    title: "Lanes that part",
    experiments: ["divergence"],
    blocks: divergenceBlocks,
  },
  {
    label: "tab:second-client",
    title: "A second client: the stack machine",
    experiments: ["second-client"],
    blocks: clientBlocks,
  },
  {
    label: "tab:adjoints",
    title: "Primitives and their adjoints",
    experiments: ["adjoints"],
    blocks: adjointBlocks,
  },
  {
    label: "tab:implemented",
    title: "What is built and tested",
    experiments: ["features"],
    blocks: featureBlocks,
  },
  {
    label: "variance",
    title: "How much samples vary",
    experiments: ["suite"],
    blocks: varianceBlocks,
  },
  { label: "tab:artifact", title: "The environment", experiments: [], blocks: manifestBlocks },
];
