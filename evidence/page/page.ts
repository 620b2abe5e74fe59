/**
 * Results → EVIDENCE.md and its figures: a pure function, so that the page can be made again from
 * the files, byte for byte.
 */

import { CHANGED, type Experiment, isMissing, type Results } from "../harness/store.js";
import { type Block, markdownOf, table, text } from "./blocks.js";
import { type CheckedClaim, checkClaim } from "./claims/claim.js";
import { claims } from "./claims/index.js";
import { Quote } from "./quote.js";
import type { Section } from "./section.js";
import { costSections } from "./sections/cost.js";
import { searchSections } from "./sections/search.js";
import { speedSections } from "./sections/speed.js";
import { trustSections } from "./sections/trust.js";

export const sections: readonly Section[] = [
  ...costSections,
  ...speedSections,
  ...trustSections.slice(0, 4),
  ...searchSections,
  ...trustSections.slice(4),
];

export interface Page {
  readonly markdown: string;
  /** File name without ending → SVG. */
  readonly figures: ReadonlyMap<string, string>;
  readonly quote: Quote;
  /** Everything that stands on the page, by section. */
  readonly blocks: ReadonlyMap<string, readonly Block[]>;
}

const INTRODUCTION = `# Evidence

Every table and figure of the paper, measured again on one computer beside baselines that we wrote
ourselves, and what became of its claims. \`npm run evidence\` makes this page
([README.md](README.md) says how); all samples are in [results](results). A time is the least of its samples, because what other users of a
computer take can only be added; the section on variance shows quartiles and intervals. Other figures are medians. A cell that
begins with "paper" quotes the paper, which prints medians; a dash with words says why there is no figure.`;

function verdictsOf(checked: readonly CheckedClaim[]): Block[] {
  return checked.map(({ claim, cell, verdict }) =>
    text(
      `- *${verdict}*: ${claim.words} (paper ${claim.paper}; here `,
      cell,
      `). ${capital(claim.reason)}.`,
    ),
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function claimBlocks(checked: readonly CheckedClaim[]): Block[] {
  const count = (verdict: string) => checked.filter((each) => each.verdict === verdict).length;
  const rows = checked.map(({ claim, cell, verdict }) => [
    claim.words,
    claim.label,
    `paper ${claim.paper}`,
    cell,
    verdict,
    claim.reason,
  ]);
  const summary = ["confirmed", "surpassed", "contradicted", "not testable here"]
    .map((verdict) => `${verdict}: ${count(verdict)}`)
    .join(", ");
  return [
    text(`Claims by verdict: ${summary}.`),
    table(["claim", "where", "paper", "here", "verdict", "what our figure is"], rows),
  ];
}

export function makePage(results: Results): Page {
  const quote = new Quote(results);
  const checked = claims.map((claim) => checkClaim(quote, claim));
  const blocks = new Map<string, readonly Block[]>();
  for (const section of sections) {
    const own = checked.filter(({ claim }) => claim.label === section.label);
    blocks.set(section.label, [...section.blocks(quote), ...verdictsOf(own)]);
  }
  blocks.set("claims", claimBlocks(checked));
  const parts = sections.map(
    ({ label, title }) => `## ${title} (${label})\n\n${bodyOf(blocks.get(label) ?? [])}`,
  );
  const markdown = [
    INTRODUCTION,
    runOf(results),
    ...parts,
    `## Claims\n\n${bodyOf(blocks.get("claims") ?? [])}`,
    samplesOf(results),
  ].join("\n\n");
  const figures = new Map(
    [...blocks.values()]
      .flat()
      .flatMap((block) => (block.kind === "figure" ? [[block.name, block.svg] as const] : [])),
  );
  return { markdown: `${markdown}\n`, figures, quote, blocks };
}

/** Lines of a list stand together, other blocks apart. */
function bodyOf(blocks: readonly Block[]): string {
  return blocks
    .map((block, i) => {
      const words = markdownOf(block);
      const isItem = words.startsWith("- ");
      const next = blocks[i + 1];
      const isLast = next === undefined;
      const joins = isItem && !isLast && markdownOf(next).startsWith("- ");
      return isLast ? words : `${words}${joins ? "\n" : "\n\n"}`;
    })
    .join("");
}

function runOf({ manifest, experiments }: Results): string {
  const of = (name: string) => (Object.hasOwn(manifest, name) ? manifest[name] : "unknown");
  const told = `This run: ${of("CPU")}, ${of("cores")} cores, Node ${of("Node")}, commit ${of("commit")}, ${of("date")}, mode ${of("mode")}.`;
  return [told, ...doubtsOf({ manifest, experiments })].join(" ");
}

/** What a reader must know before trusting the run: no commit, changed files, several runs. */
export function doubtsOf({ manifest, experiments }: Results): string[] {
  const commit = Object.hasOwn(manifest, "commit") ? (manifest["commit"] as string) : "unknown";
  const others = [...experiments.values()].filter(
    ({ conditions }) => conditions["commit"] !== undefined && conditions["commit"] !== commit,
  );
  return [
    ...(commit === "unknown" ? ["**Nobody knows which commit was measured.**"] : []),
    ...(commit.endsWith(CHANGED)
      ? [
          "**The working tree had changes that no commit holds, so this commit is not what was measured.**",
        ]
      : []),
    ...(others.length > 0
      ? [
          `**Of other commits than that: ${others.map((each) => `${each.experiment} (${each.conditions["commit"]})`).join(", ")}.**`,
        ]
      : []),
  ];
}

/** The paper's N. */
const SAMPLES_LEAST = 12;
const TIMES = ["µs", "ms", "s"];

/** Times of each experiment with fewer samples than the paper takes, and how they were taken. */
function fewOf({ experiment, entries }: Experiment): string[] {
  const few = Object.entries(entries).flatMap(([key, entry]) =>
    !isMissing(entry) &&
    TIMES.includes(entry.unit) &&
    entry.samples.length < SAMPLES_LEAST &&
    key.includes("/")
      ? [entry]
      : [],
  );
  if (few.length === 0) return [];
  const counts = few.map(({ samples }) => samples.length);
  const hows = [...new Set(few.map(({ how }) => how ?? "one value"))].sort();
  const range = [...new Set([Math.min(...counts), Math.max(...counts)])].join(" to ");
  return [`- ${experiment}: ${few.length} with ${range} samples (${hows.join("; ")})`];
}

function samplesOf({ experiments }: Results): string {
  const entries = [...experiments.values()].flatMap(({ entries: each }) => Object.values(each));
  const measured = entries.flatMap((entry) => (isMissing(entry) ? [] : [entry]));
  const samples = measured.reduce((sum, { samples: each }) => sum + each.length, 0);
  const missing = entries.length - measured.length;
  const gaps = new Set(entries.flatMap((entry) => (isMissing(entry) ? [entry.missing] : [])));
  return [
    "## Samples",
    `${samples.toLocaleString("en-US")} samples in ${measured.length.toLocaleString("en-US")} measurements; ${missing} gaps:`,
    [...gaps]
      .sort()
      .map((gap) => `- ${gap}`)
      .join("\n") || "- none",
    `Times with fewer than ${SAMPLES_LEAST} samples, and how each sample was taken:`,
    [...experiments.values()].flatMap(fewOf).join("\n") || "- none",
  ].join("\n\n");
}
