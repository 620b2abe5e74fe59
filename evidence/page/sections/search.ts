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
  const ways = ["tagged PyTorch", "tuned PyTorch", "staged JavaScript", "ndvm"];
  const rows = [
    ["PyTorch DMCI, the paper's", "paper 211,277", "paper 17", "paper 1"],
    ["NDVM, the paper's", "paper 25.9", "paper 138,769", "paper 8144×"],
    ...ways.map((way) => [
      way,
      q.figure(fitOf(way), 1e-3),
      perHour(fitOf(way)),
      q.ratio(fitOf("tagged PyTorch"), fitOf(way)),
    ]),
  ];
  const model = [500, 2000].map((latency) => [
    latency === 500 ? "half a second" : "two seconds",
    latency === 500 ? "paper 0.54 s, 4.8 %" : "paper 2.04 s, 1.3 %",
    q.figure(`calibration#${latency}/candidate`, 1e-6),
    q.figure(`calibration#${latency}/share of the fit`),
  ]);
  return [
    text(
      `${q.condition("calibration", "fit") ?? ""}. The losses of all ways agree at every step before they are timed.`,
    ),
    table(["way", "ms a calibration", "calibrations an hour of one core", "over tagged"], rows),
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
      " of it. Behind a language model whose latency a local endpoint simulates:",
    ),
    table(["latency of a proposal", "paper", "s a candidate", "share of the fit %"], model),
  ];
}

const BACKENDS = [
  "ndvm",
  "staged JavaScript",
  "staged WebAssembly",
  "tuned PyTorch",
  "tagged PyTorch",
] as const;
const CHECKPOINTS = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 300, 420, 600, 900] as const;

function frontier(q: Quote, experiment: string, paper: readonly string[][], name: string): Block[] {
  const at = (backend: string, part: string) => `${experiment}#${backend}/${part}`;
  const rows = BACKENDS.map((backend) => [
    backend,
    q.count(at(backend, "fits")),
    q.ratio(at(backend, "fits"), at("tagged PyTorch", "fits")),
    q.figure(at(backend, "first success")),
    q.figure(at(backend, "successes")),
    q.figure(at(backend, "best R²")),
    q.figure(at(backend, "core-seconds"), 1e3),
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
  const svg = chartSvg({
    title: "Best held-out R² over wall-clock",
    x: "seconds",
    y: "R²",
    isLogX: true,
    lines: [...lines, ...published],
  });
  const head = [
    "backend",
    "fits",
    "over tagged",
    "first R² > 0.9, s",
    "distinct successes",
    "best R²",
    "core-ms a fit",
  ];
  return [
    text(
      `Budget: ${q.condition(experiment, "budget") ?? "—"} (the paper: 900 s); medians over the seeds, one core. `,
      "Every backend fits the same programs from the same starts, from the text, and keeps the point of least loss. ",
      "Of the first candidates ",
      q.count(`${experiment}#scores that agree`),
      " of ",
      q.count(`${experiment}#scores compared`),
      " come to the same score on the machine, in staged JavaScript and in staged WebAssembly.",
    ),
    table(head, [...paper, ...rows]),
    { kind: "figure", name, alt: "best R² over wall-clock", svg },
  ];
}

const flatPaper = [
  [
    "NDVM, the paper's, in 900 s",
    "paper 42,289",
    "paper 23.8×",
    "paper 12.2",
    "paper 5",
    "paper 0.996",
    "paper 21",
  ],
  [
    "DMCI, the paper's, in 900 s",
    "paper 1,778",
    "paper 1",
    "paper 288",
    "paper 4",
    "paper 0.969",
    "paper 506",
  ],
];
const recPaper = [
  [
    "NDVM, the paper's, in 900 s",
    "paper 39,759",
    "paper 339.8×",
    "paper 18",
    "paper 2",
    "paper 0.989",
    "paper 23",
  ],
  [
    "DMCI, the paper's, in 900 s",
    "paper 117",
    "paper 1",
    "paper never",
    "paper 0",
    "paper 0.49",
    "paper 7,695",
  ],
];

function peerBlocks(q: Quote): Block[] {
  const entries = Object.keys(q.results.experiments.get("peers")?.entries ?? {});
  const curves = [...new Set(entries.map((key) => key.split("/")[0] as string))];
  const rows = curves.map((curve) => [
    curve,
    q.figure(`peers#${curve}/ndvm`, 1e-3),
    q.figure(`peers#${curve}/SciPy`, 1e-3),
    q.ratio(`peers#${curve}/SciPy`, `peers#${curve}/ndvm`),
    q.figure(`peers#${curve}/constants apart`),
    q.figure(`peers#${curve}/CasADi`),
    q.figure(`peers#${curve}/JAX`),
  ]);
  const head = [
    "fit",
    "ndvm fit ms",
    "SciPy curve_fit ms",
    "SciPy/ndvm",
    "constants apart",
    "CasADi",
    "JAX",
  ];
  return [
    text(
      "Levenberg–Marquardt in f64, from the text to constants, and what a user of Python would write.",
    ),
    table(head, rows),
  ];
}

export const searchSections: readonly Section[] = [
  {
    label: "tab:cosearch",
    title: "One calibration",
    experiments: ["calibration"],
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
