/**
 * What a running search shows: a screen that is drawn again twice a second on a terminal, plain
 * lines elsewhere, events as JSON lines with --json.
 */

import { countOf, countText, memberFormula, type StudyLoad } from "@ndvm/report";
import {
  type Counts,
  choiceOf,
  type FrontMember,
  type SearchDone,
  type SearchEvent,
} from "@ndvm/search";
import { eraseLines, note, out, print, warn, widthOf, withoutColours } from "../terminal.js";
import { frontTable } from "./front-table.js";

export interface Display {
  show(event: SearchEvent): void;
  /** Before the final words are printed. */
  close(): void;
}

export interface DisplayOptions {
  /** Seconds the search may take; undefined where that is not limited. */
  readonly seconds: number | undefined;
  /** How the programs are loaded. */
  readonly study: StudyLoad;
  /** A plot of the data and this model. */
  readonly plot: (member: FrontMember) => string;
}

const REDRAW_MS = 500;
const LINE_MS = 2000;
/** Members of the front that a screen has room for. */
const MEMBERS = 8;

export const jsonDisplay: Display = {
  show: (event) => print(JSON.stringify(event)),
  close: () => {},
};

const NO_COUNTS: Counts = {
  candidates: 0,
  revisits: 0,
  scored: 0,
  duplicates: 0,
  failed: 0,
  fits: 0,
  failures: {},
  workersReplaced: 0,
  spending: { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 },
};

/** What both displays remember of the events. */
class Standing {
  front: readonly FrontMember[] = [];
  counts: Counts = NO_COUNTS;
  inThisRun: SearchDone["inThisRun"] = NO_COUNTS;
  seconds = 0;
  workers = 0;

  hear(event: SearchEvent): void {
    if (event.type === "started") this.workers = event.workers;
    if (event.type === "front") this.front = event.front;
    if (event.type === "progress" || event.type === "done") {
      this.counts = event.counts;
      this.inThisRun = event.inThisRun;
      this.seconds = event.seconds;
    }
    if (event.type === "done") this.front = event.front;
  }

  /** What would be the answer now. */
  get choice(): FrontMember | undefined {
    return choiceOf(this.front);
  }

  /** Of the study, and a second of this run. */
  rates(): string {
    const { counts, inThisRun, seconds } = this;
    const [candidates, fits] = [
      rateText(inThisRun.candidates, seconds),
      rateText(inThisRun.fits, seconds),
    ];
    return `${countOf(counts.candidates, "candidate")} (${candidates}), ${countOf(counts.fits, "fit")} (${fits})`;
  }
}

/** "1,082/s" */
export const rateText = (count: number, seconds: number): string =>
  `${countText(Math.round(count / Math.max(seconds, 1e-3)))}/s`;

/** "12 E-TYPE, 3 E-STEPS": failures by kind, the most frequent first. */
export function failuresText(counts: Counts): string {
  const kinds = Object.entries(counts.failures).sort((a, b) => b[1] - a[1]);
  return kinds.map(([code, count]) => `${countText(count)} ${code}`).join(", ");
}

export function spendingText({ spending }: Counts): string {
  const { requests, inputTokens, outputTokens, cost } = spending;
  if (requests === 0) return "";
  const money = cost > 0 ? `, cost ${cost.toFixed(4)}` : "";
  return `${countText(inputTokens)} + ${countText(outputTokens)} tokens in ${countOf(requests, "request")}${money}`;
}

/** Events that are told in words when they happen. */
const TOLD: ReadonlySet<SearchEvent["type"]> = new Set(["problem", "worker", "warning"]);

function tell(event: SearchEvent): void {
  if (event.type === "problem") {
    warn(`${event.proposer}: ${event.problem.message} (${event.problem.code})`);
  }
  if (event.type === "worker") warn(`worker ${event.worker}: ${event.message}`);
  if (event.type === "warning") warn(event.message);
}

/** A line when the choice changes, and one every two seconds. */
export function lineDisplay({ study }: Pick<DisplayOptions, "study">): Display {
  const standing = new Standing();
  let chosenId: number | undefined;
  let last = performance.now();
  return {
    show(event) {
      standing.hear(event);
      tell(event);
      if (event.type === "started" && event.resumedFrom > 0) {
        note(`going on after ${countOf(event.resumedFrom, "candidate")}`);
      }
      const chosen = standing.choice;
      if (event.type === "front" && chosen !== undefined && chosen.id !== chosenId) {
        chosenId = chosen.id;
        const bits = `${chosen.length.toFixed(0)} bits`;
        print(
          `R² ${chosen.r2.toFixed(6)}  size ${chosen.complexity}  ${bits}  ${memberFormula(chosen, study)}`,
        );
      }
      if (event.type === "progress" && performance.now() - last > LINE_MS) {
        last = performance.now();
        note(`${standing.seconds.toFixed(0)} s: ${standing.rates()}`);
      }
    },
    close: () => {},
  };
}

/** A screen that replaces itself. */
export function liveDisplay(options: DisplayOptions): Display {
  const standing = new Standing();
  let lines = 0;
  let last = 0;
  let plotted: { readonly id: number; readonly text: string } | undefined;

  const erase = (): void => {
    if (lines > 0) eraseLines(lines);
    lines = 0;
  };
  const plotOf = (member: FrontMember): string => {
    if (plotted?.id !== member.id) plotted = { id: member.id, text: options.plot(member) };
    return plotted.text;
  };
  const draw = (): void => {
    const screen = screenText(standing, options, plotOf);
    erase();
    print(screen);
    lines = screen.split("\n").length;
    last = performance.now();
  };

  return {
    show(event) {
      standing.hear(event);
      if (TOLD.has(event.type)) {
        erase();
        tell(event);
        draw();
      }
      if (performance.now() - last > REDRAW_MS) draw();
    },
    close: erase,
  };
}

function screenText(
  standing: Standing,
  options: DisplayOptions,
  plotOf: (member: FrontMember) => string,
): string {
  const width = widthOf(process.stdout);
  const limit = options.seconds === undefined ? "" : ` of ${options.seconds} s`;
  const workers = countOf(standing.workers, "worker");
  const failures = failuresText(standing.counts);
  const spending = spendingText(standing.counts);
  const chosen = standing.choice;
  const shown = shownOf(standing.front, chosen);
  return [
    out.bold(`${standing.seconds.toFixed(1)} s${limit}, ${workers}: ${standing.rates()}`),
    `${countOf(standing.counts.duplicates, "duplicate")}, ${countText(standing.counts.failed)} failed${failures === "" ? "" : ` (${failures})`}`,
    ...(spending === "" ? [] : [spending]),
    ...(shown.length === 0 ? [] : [frontTable(shown, width, options.study)]),
    ...(chosen === undefined ? [] : [plotOf(chosen)]),
  ]
    .join("\n")
    .split("\n")
    .map((line) => fitWidth(line, width))
    .join("\n");
}

/** The members around the choice. */
function shownOf(
  front: readonly FrontMember[],
  chosen: FrontMember | undefined,
): readonly FrontMember[] {
  const at = chosen === undefined ? 0 : front.indexOf(chosen);
  const first = Math.max(0, Math.min(at - MEMBERS / 2, front.length - MEMBERS));
  return front.slice(first, first + MEMBERS);
}

/** A line longer than the terminal would wrap, and the next erase would miss a line. */
function fitWidth(line: string, width: number): string {
  const visible = withoutColours(line);
  return visible.length <= width ? line : visible.slice(0, width);
}

/** Why the search stopped, in words. */
export function stopText({ stopped }: SearchDone): string {
  const texts: Readonly<Record<SearchDone["stopped"], string>> = {
    seconds: "the time is used up",
    candidates: "all candidates of the budget are done",
    fits: "all fits of the budget are done",
    tokens: "all tokens of the budget are used",
    r2: "the held-out R² asked for is reached",
    aborted: "interrupted; everything reported is kept",
    exhausted: "the proposers have nothing more",
  };
  return texts[stopped];
}
