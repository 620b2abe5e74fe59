/**
 * Speed: representation against execution, staging and its break-even, ceilings, lanes and cores.
 */

import { type Block, table, text } from "../blocks.js";
import { chartSvg } from "../chart.js";
import { decomp, jaxStaged, multicore, nativeBoxed, PROGRAMS, perLane } from "../paper.js";
import type { Cell, Quote } from "../quote.js";
import { short } from "../quote.js";
import { type Section, TITLES } from "../section.js";

const suite = (program: string, backend: string, part = "forward"): string =>
  `suite#${program}/${backend}/${part}`;

function decompBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => {
    const at = (backend: string) => suite(name, backend);
    return [
      TITLES[name] as string,
      `paper ${decomp[name].join(" / ")}`,
      q.ratio(at("DMCI"), at("ndvm walked")),
      q.ratio(at("DMCI"), at("ndvm")),
      q.ratio(at("DMCI"), at("tagged PyTorch")),
      q.ratio(at("tagged PyTorch"), at("tuned PyTorch")),
      q.ratio(at("tuned PyTorch"), at("ndvm walked")),
      q.ratio(at("tagged PyTorch"), at("ndvm walked")),
      q.ratio(at("tagged TensorFlow.js"), at("tuned TensorFlow.js")),
      q.ratio(at("tuned TensorFlow.js"), at("ndvm walked")),
      q.ratio(at("tagged PyTorch"), at("ndvm")),
    ];
  });
  const head = [
    "program",
    "paper: representation / native / total",
    "total: DMCI/ndvm walked",
    "DMCI/ndvm replayed",
    "second level: DMCI/tagged",
    "PyTorch: tagged/tuned",
    "tuned/ndvm walked",
    "tagged/ndvm walked",
    "TensorFlow.js: tagged/tuned",
    "tuned/ndvm walked ",
    "tagged PyTorch/ndvm replayed",
  ];
  return [
    text(
      "Forward, one lane. The paper's tuned interpreter is DMCI with another value, two levels deep; our tagged and ",
      "tuned ones are one level deep, so what the second level costs is a column of its own.",
    ),
    table(head, rows),
  ];
}

function decompositionFigure(q: Quote): Block[] {
  const lineOf = (name: string, above: string, below: string) => ({
    name,
    points: PROGRAMS.flatMap((program, i): [number, number][] => {
      const [a, b] = [above, below].map((backend) => q.value(suite(program, backend)));
      return a === undefined || b === undefined ? [] : [[i + 1, a / b]];
    }),
  });
  const published = (name: string, column: number) => ({
    name,
    isDashed: true,
    points: PROGRAMS.map((program, i): [number, number] => [
      i + 1,
      Number.parseFloat(decomp[program][column] as string),
    ]),
  });
  const svg = chartSvg({
    title: "Forward speed-up over eager interpreters",
    x: "program: 1 scalar, 2 Michaelis–Menten, 3 oscillator, 4 logistic, 5 Kalman",
    y: "times",
    isLogY: true,
    lines: [
      lineOf("representation: tagged/tuned", "tagged PyTorch", "tuned PyTorch"),
      lineOf("tagged/ndvm walked", "tagged PyTorch", "ndvm walked"),
      lineOf("tagged/ndvm replayed", "tagged PyTorch", "ndvm"),
      lineOf("tagged/staged WebAssembly", "tagged PyTorch", "staged WebAssembly"),
      lineOf("total: DMCI/ndvm walked", "DMCI", "ndvm walked"),
      lineOf("DMCI/ndvm replayed", "DMCI", "ndvm"),
      published("the paper's representation", 0),
      published("the paper's total", 2),
    ],
  });
  return [{ kind: "figure", name: "decomposition", alt: "speed-up over eager interpreters", svg }];
}

function boxedBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.map((name) => {
    const at = (backend: string) => suite(name, backend);
    return [
      TITLES[name] as string,
      `paper ${nativeBoxed[name].join(" / ")}`,
      q.figure(at("boxed C++")),
      q.figure(at("boxed AssemblyScript")),
      q.figure(at("author's runtime")),
      q.figure(at("ndvm walked")),
      q.figure(at("ndvm")),
      q.ratio(at("boxed C++"), at("ndvm walked")),
      q.ratio(at("boxed C++"), at("ndvm")),
      q.ratio(at("boxed AssemblyScript"), at("ndvm")),
    ];
  });
  const head = [
    "program",
    "paper: boxed C++ ms / NDVM ms / ratio",
    "boxed C++ µs",
    "boxed AssemblyScript µs",
    "author's runtime µs",
    "ndvm walked µs",
    "ndvm replayed µs",
    "boxed C++/walked",
    "boxed C++/replayed",
    "boxed AssemblyScript/replayed",
  ];
  return [
    text(
      "Forward only, one heap object for every value; programs are read once, not at each call.",
    ),
    table(head, rows),
  ];
}

/** Ways that run in Python bring steps of their own. */
const IN_PYTHON = ["JAX", "JAX on a GPU", "CasADi", "CasADi in C"] as const;
const stepOf = (name: string, rival: string): string =>
  IN_PYTHON.some((each) => each === rival)
    ? `staging#${name}/${rival}/gradient`
    : suite(name, rival, "gradient");

/** Steps after which a rival's staging has paid off; infinite where its step is not faster. */
export function breakEven(q: Quote, name: string, rival: string): Cell {
  const step = stepOf(name, rival);
  return q.of(
    [
      `staging#${name}/${rival}/staging`,
      `staging#${name}/ndvm/staging`,
      step,
      suite(name, "ndvm", "gradient"),
    ],
    (stage, first, theirs, ours) => {
      if (stage <= first) return theirs <= ours ? 0 : (first - stage) / (theirs - ours);
      return theirs < ours ? (stage - first) / (ours - theirs) : Number.POSITIVE_INFINITY;
    },
    (x) => (x === 0 ? "from the first step" : x === Number.POSITIVE_INFINITY ? "never" : short(x)),
  );
}

const RIVALS = ["staged JavaScript", "staged WebAssembly", ...IN_PYTHON] as const;

function stagedBlocks(q: Quote): Block[] {
  const rows = PROGRAMS.flatMap((name) => [
    [
      `${TITLES[name]}, paper's JAX`,
      `paper ${jaxStaged[name][2]} ms`,
      `paper ${jaxStaged[name][0]} ms`,
      `paper ${jaxStaged[name][3]}`,
    ],
    [
      `${TITLES[name]}, ndvm (nothing staged)`,
      q.figure(`staging#${name}/ndvm/staging`),
      q.figure(suite(name, "ndvm", "gradient")),
      "",
    ],
    ...RIVALS.map((rival) => [
      `${TITLES[name]}, ${rival}`,
      q.figure(`staging#${name}/${rival}/staging`),
      q.figure(stepOf(name, rival)),
      breakEven(q, name, rival),
    ]),
  ]);
  const head = ["program and way", "text to first gradient µs", "step µs", "n* against ndvm"];
  return [
    text(
      "One lane. A stager of ours reads the same text, unrolls nothing, scalarises vectors and matrices, ",
      "differentiates loops and branches, and emits JavaScript or a WebAssembly module. Its first call runs code ",
      "that the engine has not optimised; its step is that of hot code. JAX (f32, jit of value_and_grad) and CasADi ",
      "(f64, SX graphs, its own machine or C) run programs that were written for them by hand, so no text is read. ",
      "n* is the number of steps after which staging has paid off.",
    ),
    table(head, rows),
  ];
}

function amortizationBlocks(q: Quote): Block[] {
  const counts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
  const curve = (name: string, first: string, step: string) => {
    const [a, b] = [q.value(first), q.value(step)];
    const points =
      a === undefined || b === undefined
        ? []
        : counts.map((n): [number, number] => [n, a + (n - 1) * b]);
    return { name, points };
  };
  const svg = chartSvg({
    title: "Scalar expression: time of a candidate over its gradient steps",
    x: "gradient steps",
    y: "µs",
    isLogX: true,
    isLogY: true,
    lines: [
      curve("ndvm", "staging#scalar/ndvm/staging", suite("scalar", "ndvm", "gradient")),
      ...(["staged JavaScript", "staged WebAssembly", "JAX", "CasADi"] as const).map((rival) =>
        curve(rival, `staging#scalar/${rival}/staging`, stepOf("scalar", rival)),
      ),
      ...(["DMCI", "tagged PyTorch"] as const).map((name) => {
        const step = q.value(suite("scalar", name));
        const points = step === undefined ? [] : counts.map((n): [number, number] => [n, n * step]);
        return { name, points };
      }),
    ],
  });
  return [{ kind: "figure", name: "amortization", alt: "time of a candidate over its steps", svg }];
}

const REUSES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
const CONDITIONS = [
  "staged each, JavaScript",
  "staged once, JavaScript",
  "staged each, WebAssembly",
  "staged once, WebAssembly",
  "ndvm, programs",
  "ndvm, lanes",
] as const;

/** The least reuse at which a condition is no slower than our lanes, between measured ones. */
export function crossing(q: Quote, condition: string): Cell {
  const used = REUSES.filter((reuse) => q.has(`cached#${reuse}/${condition}`));
  const refs = used.flatMap((reuse) => [
    `cached#${reuse}/${condition}`,
    `cached#${reuse}/ndvm, lanes`,
  ]);
  return q.of(
    refs.length === 0 ? [`cached#1/${condition}`] : refs,
    (...values) => {
      const found = used.find((_, i) => (values[2 * i] as number) <= (values[2 * i + 1] as number));
      return found ?? Number.POSITIVE_INFINITY;
    },
    (x) => (x === Number.POSITIVE_INFINITY ? "never in this range" : short(x)),
  );
}

const samplesOf = (q: Quote, ref: string): Cell =>
  q.of([ref], () => q.statistic(ref, "count").value, String);

function cachedBlocks(q: Quote): Block[] {
  const used = REUSES.filter((reuse) => q.has(`cached#${reuse}/ndvm, lanes`));
  const rows = used.map((reuse) => [
    String(reuse),
    q.figure(`cached#${reuse}/hit rate`),
    ...CONDITIONS.map((condition) => q.figure(`cached#${reuse}/${condition}`)),
    samplesOf(q, `cached#${reuse}/ndvm, lanes`),
  ]);
  const svg = chartSvg({
    title: "Six families: µs a candidate over settings of one structure",
    x: "settings of a structure (r)",
    y: "µs a candidate",
    isLogX: true,
    isLogY: true,
    lines: CONDITIONS.map((condition) => ({
      name: condition,
      points: used.flatMap((reuse): [number, number][] => {
        const value = q.value(`cached#${reuse}/${condition}`);
        return value === undefined ? [] : [[reuse, value]];
      }),
    })),
  });
  return [
    text(
      "µs a candidate: 50 Adam steps over 44 points from the text to the score on 20 more, six families. The ",
      "cache is found by structure; its hit rate follows from r. The least r at which staging once is no slower ",
      "than our lanes: JavaScript ",
      crossing(q, "staged once, JavaScript"),
      ", WebAssembly ",
      crossing(q, "staged once, WebAssembly"),
      ". (Paper: about 80 with JAX.) On the paper's own streams such a cache is hit by ",
      q.figure("cached#stream flat/hit rate", 1, " %"),
      " of the scalar programs and ",
      q.figure("cached#stream rec/hit rate", 1, " %"),
      " of the recurrences.",
    ),
    table(["r", "hit rate %", ...CONDITIONS, "samples each"], rows),
    { kind: "figure", name: "cached-staging", alt: "time of a candidate over reuse", svg },
  ];
}

const LANES = [1, 8, 64, 256, 1024, 16384] as const;
const WIDE = [
  "ndvm",
  "ndvm walked",
  "staged JavaScript",
  "staged WebAssembly",
  "staged f32x4",
  "by hand in f32x4",
  "ndvm through TensorFlow.js",
  "JAX, vmap",
  "JAX on a GPU, vmap",
  "author's runtime",
] as const;

function ceilingBlocks(q: Quote): Block[] {
  const ways: readonly (readonly [string, string, string])[] = [
    [
      "by hand in C++, 1 lane",
      suite("kalman", "by hand in C++"),
      suite("kalman", "by hand in C++", "gradient"),
    ],
    [
      "by hand in AssemblyScript, 1 lane",
      suite("kalman", "by hand in AssemblyScript"),
      suite("kalman", "by hand in AssemblyScript", "gradient"),
    ],
    [
      "staged WebAssembly, 1 lane",
      suite("kalman", "staged WebAssembly"),
      suite("kalman", "staged WebAssembly", "gradient"),
    ],
    [
      "author's runtime, 1 lane",
      suite("kalman", "author's runtime"),
      suite("kalman", "author's runtime", "gradient"),
    ],
    ...(["CasADi in C", "JAX"] as const).map(
      (way) =>
        [
          `${way}, 1 lane`,
          `staging#kalman/${way}/forward`,
          `staging#kalman/${way}/gradient`,
        ] as const,
    ),
    ["ndvm, 1 lane", suite("kalman", "ndvm"), suite("kalman", "ndvm", "gradient")],
  ];
  const hand = suite("kalman", "by hand in C++", "gradient");
  const author = suite("kalman", "author's runtime", "gradient");
  const rows = [
    ...ways.map(([name, forward, gradient]) => [
      name,
      q.figure(forward),
      q.figure(gradient),
      q.ratio(gradient, hand),
      q.ratio(author, gradient),
    ]),
    ...(["by hand in f32x4", "staged f32x4", "ndvm"] as const).map((name) => [
      `${name}, a lane of 256`,
      "",
      q.figure(`lanes#kalman/${name}/256`),
      q.ratio(`lanes#kalman/${name}/256`, hand),
      q.ratio("lanes#kalman/author's runtime/256", `lanes#kalman/${name}/256`),
    ]),
    ["by hand in C++, the paper's", "paper 0.9", "paper 3.5", "", ""],
    ["NDVM, the paper's", "", "paper 730", "paper about 200×", ""],
  ];
  return [
    text("The 80-step Kalman likelihood, by q and r."),
    table(
      ["way", "forward µs", "forward+gradient µs", "over C++ by hand", "author's runtime over it"],
      rows,
    ),
  ];
}

function perLaneBlocks(q: Quote): Block[] {
  const used = LANES.filter((lanes) => q.has(`lanes#kalman/ndvm/${lanes}`));
  const rows = used.map((lanes) => [
    String(lanes),
    perLane[lanes] === undefined ? "" : `paper ${perLane[lanes]} ms`,
    ...WIDE.map((way) => q.figure(`lanes#kalman/${way}/${lanes}`)),
  ]);
  const svg = chartSvg({
    title: "Kalman likelihood with gradient: µs a lane",
    x: "lanes",
    y: "µs a lane",
    isLogX: true,
    isLogY: true,
    lines: WIDE.map((way) => ({
      name: way,
      points: used.flatMap((lanes): [number, number][] => {
        const value = q.value(`lanes#kalman/${way}/${lanes}`);
        return value === undefined ? [] : [[lanes, value]];
      }),
    })),
  });
  return [
    text("µs a lane, forward and gradient; the paper's column is through its PyTorch boundary."),
    table(["lanes", "paper", ...WIDE], rows),
    { kind: "figure", name: "per-lane", alt: "cost of a lane over lanes", svg },
  ];
}

function multicoreBlocks(q: Quote): Block[] {
  const counts = Object.keys(multicore).map(Number);
  const at = (workers: number) => `multicore#${workers} workers`;
  const rows = counts.map((workers) => [
    String(workers),
    `paper ${multicore[workers]}×`,
    q.figure(at(workers)),
    q.ratio(at(1), at(workers)),
    q.of(
      [at(1), at(workers)],
      (one, many) => (100 * one) / (many * workers),
      (x) => `${short(x)} %`,
    ),
    q.of(
      [`${at(workers)}/same bytes`],
      (x) => x,
      (x) => (x === 1 ? "yes" : "no"),
    ),
  ]);
  const lineOf = (name: string, f: (workers: number) => number | undefined) => ({
    name,
    points: counts.flatMap((workers): [number, number][] => {
      const y = f(workers);
      return y === undefined ? [] : [[workers, y]];
    }),
  });
  const one = q.value(at(1));
  const svg = chartSvg({
    title: "Speed-up over one worker",
    x: "workers",
    y: "times",
    isLogX: true,
    isLogY: true,
    lines: [
      { ...lineOf("ideal", (workers) => workers), isDashed: true },
      lineOf("the paper", (workers) => multicore[workers]),
      lineOf("ndvm here", (workers) => {
        const many = q.value(at(workers));
        return one === undefined || many === undefined ? undefined : one / many;
      }),
    ],
  });
  return [
    text(`${q.condition("multicore", "work") ?? ""}.`),
    table(
      ["workers", "paper", "ms a call", "speed-up", "efficiency", "same bytes as serial"],
      rows,
    ),
    { kind: "figure", name: "multicore", alt: "speed-up over workers", svg },
  ];
}

export const speedSections: readonly Section[] = [
  {
    label: "tab:decomp",
    title: "Representation and execution",
    experiments: ["suite"],
    blocks: decompBlocks,
  },
  {
    label: "fig:decomposition",
    title: "The same, drawn",
    experiments: ["suite"],
    blocks: decompositionFigure,
  },
  {
    label: "tab:native-boxed",
    title: "Boxed native interpreters",
    experiments: ["suite"],
    blocks: boxedBlocks,
  },
  {
    label: "tab:jax-staged",
    title: "Staging",
    experiments: ["suite", "staging"],
    blocks: stagedBlocks,
  },
  {
    label: "fig:amortization",
    title: "When staging pays off",
    experiments: ["suite", "staging"],
    blocks: amortizationBlocks,
  },
  {
    label: "cached staging",
    title: "Staging with a cache of structures",
    experiments: ["cached"],
    blocks: cachedBlocks,
  },
  {
    label: "compiled ceiling",
    title: "The compiled ceiling",
    experiments: ["suite", "lanes"],
    blocks: ceilingBlocks,
  },
  {
    label: "per-lane sweep",
    title: "The cost of a lane",
    experiments: ["lanes"],
    blocks: perLaneBlocks,
  },
  {
    label: "fig:multicore",
    title: "Across cores",
    experiments: ["multicore"],
    blocks: multicoreBlocks,
  },
];
