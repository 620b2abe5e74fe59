/**
 * Calibration and co-search: one fit, a candidate's way, the frontier under a budget, and peers.
 */

import { type Block, table, text } from "../blocks.js";
import { chartSvg } from "../chart.js";
import { cosearch } from "../paper.js";
import { type Quote, short } from "../quote.js";
import type { Section } from "../section.js";

const fitOf = (backend: string): string => `calibration#${backend}/fit`;
const HOUR = 3.6e9;

function calibrationBlocks(q: Quote): Block[] {
  const perHour = (ref: string) =>
    q.of(
      [ref],
      (x) => HOUR / x,
      (x) => Math.round(x).toLocaleString("en-US"),
    );
  const ways = [
    "DMCI",
    "tagged PyTorch",
    "tuned PyTorch",
    "staged JavaScript",
    "author's runtime",
    "ndvm",
  ];
  const rows = [
    ["PyTorch DMCI, the paper's", "paper 211,277", "paper 17", "paper 1", ""],
    ["NDVM, the paper's", "paper 25.9", "paper 138,769", "paper 8144×", ""],
    ...ways.map((way) => [
      way,
      q.figure(fitOf(way), 1e-3),
      perHour(fitOf(way)),
      q.ratio(fitOf("DMCI"), fitOf(way)),
      q.ratio(fitOf("tagged PyTorch"), fitOf(way)),
    ]),
  ];
  return [
    text(
      `${q.condition("calibration", "fit") ?? ""}. The losses of all ways agree at every step before they are timed.`,
    ),
    table(
      [
        "way",
        "ms a calibration",
        "calibrations an hour of one core",
        "DMCI over it",
        "tagged over it",
      ],
      rows,
    ),
    text(
      "The rest of a candidate's way on our machine: screen ",
      q.figure("calibration#ndvm/screen", 1e-3),
      " ms, fit ",
      q.figure(fitOf("ndvm"), 1e-3),
      " ms, forecast ",
      q.figure("calibration#ndvm/forecast", 1e-3),
      " ms, so the fit is ",
      q.of(
        [fitOf("ndvm"), "calibration#ndvm/screen", "calibration#ndvm/forecast"],
        (fit, screen, forecast) => (100 * fit) / (fit + screen + forecast),
        (x) => `${short(x)} %`,
      ),
      " of it.",
    ),
    ...liveBlocks(q),
  ];
}

/** Searches with a language model in the loop. */
function liveBlocks(q: Quote): Block[] {
  const paper: Readonly<Record<string, string>> = {
    "0/no model": "paper 0.040 s, 65 % fit",
    "500/1 to an answer": "paper 0.54 s, 4.8 % fit",
    "2000/1 to an answer": "paper 2.04 s, 1.3 % fit",
  };
  const ways = [
    "0/no model",
    ...[500, 2000].flatMap((latency) =>
      ["1 to an answer", "8 to an answer", "evolve beside it"].map((way) => `${latency}/${way}`),
    ),
  ];
  const words = (way: string): string => {
    const [latency, name] = way.split("/") as [string, string];
    if (latency === "0") return "no model: a list of programs";
    const model = latency === "500" ? "a model of half a second" : "a model of two seconds";
    return name === "evolve beside it"
      ? `${model}, and evolve while it thinks`
      : `${model}, programs ${name}`;
  };
  const rows = ways.map((way) => [
    words(way),
    paper[way] ?? "",
    q.figure(`live-search#${way}/seconds a candidate`),
    q.figure(`live-search#${way}/core-seconds a candidate`),
    q.figure(`live-search#${way}/share of the fit`),
    q.figure(`live-search#${way}/fit in the work`),
  ]);
  return [
    text(
      "With a language model in the timed loop: `search` with the `llm` proposer asks a local endpoint, which answers ",
      "with programs of the paper's scalar stream after the latency. Candidates are screened, fitted and scored by one ",
      `worker and kept in an archive. ${q.condition("live-search", "fit") ?? "—"}. The paper's rows are of the Kalman model.`,
    ),
    table(
      [
        "proposals",
        "paper",
        "s a candidate",
        "core-s a candidate",
        "fit in wall-clock %",
        "fit in screen, fit and score %",
      ],
      rows,
    ),
  ];
}

const BACKENDS = [
  "ndvm",
  "staged JavaScript",
  "staged WebAssembly",
  "author's runtime",
  "tuned PyTorch",
  "tagged PyTorch",
  "DMCI",
] as const;
const CHECKPOINTS = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 300, 420, 600, 900] as const;

function frontier(q: Quote, experiment: string, paper: readonly string[][], name: string): Block[] {
  const at = (backend: string, part: string) => `${experiment}#${backend}/${part}`;
  const rows = BACKENDS.map((backend) => [
    backend,
    q.count(at(backend, "fits")),
    q.ratio(at("DMCI", "seconds"), at(backend, "seconds")),
    q.ratio(at("tagged PyTorch", "seconds"), at(backend, "seconds")),
    q.figure(at(backend, "first success")),
    q.figure(at(backend, "core-seconds to it")),
    q.figure(at(backend, "successes")),
    q.figure(at(backend, "best R²")),
    q.figure(at(backend, "seconds"), 1e3),
    q.figure(at(backend, "core-seconds"), 1e3),
  ]);
  const curves = BACKENDS.map((backend) => [
    backend,
    ...CHECKPOINTS.map((checkpoint) => q.figure(at(backend, `R² at ${checkpoint}`))),
  ]);
  const seconds = q.value(`${experiment}#seconds`) ?? 0;
  const lines = BACKENDS.map((backend) => ({
    name: backend,
    points: CHECKPOINTS.flatMap((checkpoint): [number, number][] => {
      const value = q.value(at(backend, `R² at ${checkpoint}`));
      return value === undefined ? [] : [[(checkpoint * seconds) / 900, Math.max(0, value)]];
    }),
  }));
  const published =
    experiment === "cosearch-flat"
      ? (["ndvm", "dmci"] as const).map((key) => ({
          name: `paper's ${key === "ndvm" ? "NDVM" : "DMCI"}, time scaled`,
          isDashed: true,
          points: CHECKPOINTS.map((checkpoint, i): [number, number] => [
            (checkpoint * Math.max(seconds, 1e-3)) / 900,
            cosearch[key][i] as number,
          ]),
        }))
      : [];
  const ends = [CHECKPOINTS[0], 900].map((moment) => (moment * Math.max(seconds, 1e-3)) / 900);
  const success = {
    name: "success: R² of 0.9",
    isDashed: true,
    points: ends.map((moment): [number, number] => [moment, 0.9]),
  };
  const task = experiment === "cosearch-flat" ? "Scalar programs" : "Recurrences";
  const svg = chartSvg({
    title: `${task}: best held-out R² so far, median over seeds`,
    x: "seconds of wall-clock; below 0 is drawn as 0",
    y: "R²",
    isLogX: true,
    lines: [...lines, ...published, success],
  });
  const head = [
    "backend",
    "fits in the budget",
    "DMCI's time of a fit over it",
    "tagged PyTorch's over it",
    "first R² > 0.9, s",
    "core-s to it",
    "distinct successes",
    "best R²",
    "ms a fit",
    "core-ms a fit",
  ];
  return [
    text(
      `Budget: ${q.condition(experiment, "budget") ?? "—"} (the paper: 900 s); seeds: ${q.condition(experiment, "seeds") ?? "—"}; medians over them. `,
      "Core-seconds are of all threads of a process, so they can be more than wall-clock where an engine compiles beside ",
      "its program, and less where a computer is shared. ",
      "Every backend fits the same programs from the same starts, from the text, and keeps the point of least loss. ",
      "Before anything is timed, the first candidates are compared: of ",
      q.count(`${experiment}#candidates compared`),
      ", ",
      q.count(`${experiment}#steady candidates`),
      " come to the same loss in f32 and f64 on our machine; chaotic loops do not. On these the losses of staged JavaScript are ",
      q.figure(at("staged JavaScript", "losses apart")),
      " from ours at most, those of staged WebAssembly ",
      q.figure(at("staged WebAssembly", "losses apart")),
      ", and those of the author's runtime ",
      q.figure(at("author's runtime", "losses apart")),
      " (1e-3 is allowed, relative); the scores of the others are held against ours as far as they come. ",
      "JAX and CasADi have no row: they run programs that were written for them by hand, and a stream is text. ",
      "Boxed interpreters have none, because they have no gradient.",
    ),
    table(head, [...paper, ...rows]),
    text(
      "Best held-out R² when so much of the budget is spent, in seconds of the paper's 900; the median of the seeds that ",
      "have a score by then, so it may fall when another seed has its first:",
    ),
    table(["backend", ...CHECKPOINTS.map(String)], curves),
    { kind: "figure", name, alt: "best R² over wall-clock", svg },
  ];
}

const flatPaper = [
  [
    "NDVM, the paper's, in 900 s",
    "paper 42,289",
    "paper 23.8×",
    "",
    "paper 12.2",
    "",
    "paper 5",
    "paper 0.996",
    "paper 21",
    "",
  ],
  [
    "DMCI, the paper's, in 900 s",
    "paper 1,778",
    "paper 1",
    "",
    "paper 288",
    "",
    "paper 4",
    "paper 0.969",
    "paper 506",
    "",
  ],
];
const recPaper = [
  [
    "NDVM, the paper's, in 900 s",
    "paper 39,759",
    "paper 339.8×",
    "",
    "paper 18",
    "",
    "paper 2",
    "paper 0.989",
    "paper 23",
    "",
  ],
  [
    "DMCI, the paper's, in 900 s",
    "paper 117",
    "paper 1",
    "",
    "paper never",
    "",
    "paper 0",
    "paper 0.49",
    "paper 7,695",
    "",
  ],
];

const PEERS = ["SciPy", "JAX", "CasADi"] as const;

function peerBlocks(q: Quote): Block[] {
  const entries = Object.keys(q.results.experiments.get("peers")?.entries ?? {});
  const curves = [...new Set(entries.map((key) => key.split("/")[0] as string))];
  const rows = curves.flatMap((curve) => {
    const ours = (part: string) => `peers#${curve}/ndvm/${part}`;
    return [
      [`${curve}, ndvm`, q.figure(ours("cold"), 1e-3), q.figure(ours("warm"), 1e-3), "", "", ""],
      ...PEERS.map((peer) => {
        const at = (part: string) => `peers#${curve}/${peer}/${part}`;
        return [
          `${curve}, ${peer}`,
          q.figure(at("cold"), 1e-3),
          q.figure(at("warm"), 1e-3),
          q.ratio(at("cold"), ours("cold")),
          q.ratio(at("warm"), ours("warm")),
          q.figure(at("constants apart")),
        ];
      }),
    ];
  });
  const head = [
    "fit",
    "from the formula, ms",
    "once more, ms",
    "over ndvm",
    "once more over ndvm",
    "constants apart",
  ];
  return [
    text(
      "Least squares in f64, and what a user of Python would write: SciPy's curve_fit, Levenberg–Marquardt in one ",
      "jit of JAX, CasADi with Ipopt. The first column begins with the formula, so staging is in it.",
    ),
    table(head, rows),
  ];
}

export const searchSections: readonly Section[] = [
  {
    label: "tab:cosearch",
    title: "One calibration, and a model in the loop",
    experiments: ["calibration", "live-search"],
    blocks: calibrationBlocks,
  },
  {
    label: "fig:cosearch",
    title: "The frontier under a budget",
    experiments: ["cosearch-flat"],
    blocks: (q) => frontier(q, "cosearch-flat", flatPaper, "cosearch"),
  },
  {
    label: "recurrence task",
    title: "The frontier of recurrences",
    experiments: ["cosearch-rec"],
    blocks: (q) => frontier(q, "cosearch-rec", recPaper, "cosearch-rec"),
  },
  { label: "peers", title: "Peers a user would pick", experiments: ["peers"], blocks: peerBlocks },
];
