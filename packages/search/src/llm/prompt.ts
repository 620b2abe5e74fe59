/**
 * What a language model is told: the language, the data, and how the search stands.
 *
 * The system part is the same for a whole study, so endpoints that cache prompts can. The user part
 * carries the best programs so far and failures that teach something.
 */

import { own } from "@ndvm/core";
import { isCount, isNumber, isNumberMap, isText, listOf, objectOf, type Shape } from "../shapes.js";
import type { Outcome, StudyBrief } from "../types.js";

/** A failure worth telling: what was written and what came of it. */
export interface Lesson {
  readonly source: string;
  readonly code: string;
  readonly message: string;
  readonly count: number;
}

/** A program that was fitted, with its figures. */
export interface Standing {
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  readonly r2: number;
  readonly complexity: number;
}

export interface Memory {
  readonly best: readonly Standing[];
  readonly lessons: readonly Lesson[];
}

const FORMS: Readonly<Record<string, string>> = {
  if: "(if test then else), tests by < <= > >= =, combined by and, or, not",
  let: "(let ((name value) …) body)",
  loop:
    "(loop ((state start) (k 0)) (if (= k 10) state (recur next-state (+ k 1)))): " +
    "a bounded recurrence with state",
};

export function systemPrompt(brief: StudyBrief): string {
  const forms = Object.keys(FORMS).filter((form) => brief.operators.includes(form));
  const procedures = brief.operators.filter((name) => !Object.hasOwn(FORMS, name));
  return [
    "You propose small programs that model data. Their constants are fitted afterwards, so you",
    "choose the structure only.",
    "",
    "The language is a pure Scheme. A program is one expression, evaluated once per row.",
    `Inputs: ${brief.inputs.map((input) => input.name).join(", ")}.`,
    "Any other name is a parameter and will be fitted: write a, b, c … and never numbers where a",
    "constant could be fitted. A parameter must not appear only inside a test.",
    `Procedures: ${procedures.join(" ")}`,
    ...forms.map((form) => `Form: ${own(FORMS, form)}`),
    "There is no set!, no strings, no input or output.",
    `At most ${brief.complexityMax} operators, names and numbers in a program.`,
    "",
    "Answer with JSON only:",
    '{"programs": [{"source": "(* a (exp (* b x)))", "idea": "exponential decay"}]}',
  ].join("\n");
}

export function userPrompt(brief: StudyBrief, memory: Memory, count: number): string {
  return [
    describeData(brief),
    "",
    memory.best.length === 0
      ? "Nothing has been tried yet."
      : `Best so far (R² on rows that were held out):\n${memory.best.map(describeStanding).join("\n")}`,
    ...(memory.lessons.length === 0
      ? []
      : ["", `Avoid what failed:\n${memory.lessons.map(describeLesson).join("\n")}`]),
    "",
    `Propose ${count} programs that differ in structure from these and from each other.`,
  ].join("\n");
}

function describeData(brief: StudyBrief): string {
  const columns = [...brief.inputs, brief.target];
  const names = columns.map((column) => column.name);
  const rows = brief.sample.map((row) => names.map((name) => figure(own(row, name))).join("\t"));
  return [
    ...(brief.description === "" ? [] : [`The data: ${brief.description}`]),
    `Model ${brief.target.name} from ${brief.inputs.map((input) => input.name).join(", ")}; ` +
      `${brief.rows} rows.`,
    ...columns.map(
      (column) =>
        `${column.name}: from ${figure(column.min)} to ${figure(column.max)}, ` +
        `mean ${figure(column.mean)}, standard deviation ${figure(column.deviation)}`,
    ),
    "Some rows:",
    names.join("\t"),
    ...rows,
  ].join("\n");
}

function describeStanding(standing: Standing): string {
  const params = Object.entries(standing.params)
    .map(([name, value]) => `${name}=${figure(value)}`)
    .join(" ");
  return `R² ${standing.r2.toFixed(4)}, size ${standing.complexity}: ${standing.source}  ${params}`;
}

function describeLesson(lesson: Lesson): string {
  const times = lesson.count === 1 ? "" : ` (${lesson.count} times)`;
  return `${lesson.code}${times}: ${lesson.source} — ${lesson.message}`;
}

function figure(value: number | undefined): string {
  return value === undefined ? "" : String(Number(value.toPrecision(5)));
}

/** Sources longer than this are not repeated to a model. */
const SOURCE_LENGTH = 600;
const STANDINGS = 8;
const LESSONS = 6;

interface SavedRecollection {
  readonly best: readonly (Standing & { readonly skeleton: string })[];
  readonly lessons: readonly Lesson[];
}

/** Whether that is what a recollection has saved. */
export const isRecollection: Shape<SavedRecollection> = objectOf<SavedRecollection>({
  best: listOf(
    objectOf<SavedRecollection["best"][number]>({
      source: isText,
      params: isNumberMap,
      r2: isNumber,
      complexity: isCount,
      skeleton: isText,
    }),
  ),
  lessons: listOf(
    objectOf<Lesson>({ source: isText, code: isText, message: isText, count: isCount }),
  ),
});

/** The memory with new outcomes in it: the best of different skeletons, one lesson for each code. */
export class Recollection {
  #best: readonly (Standing & { readonly skeleton: string })[] = [];
  #lessons: readonly Lesson[] = [];

  /** Failures of `own` programs teach; those of other proposers are theirs. */
  note(outcomes: readonly Outcome[], own: string): void {
    for (const outcome of outcomes) {
      if (outcome.source.length > SOURCE_LENGTH) continue;
      if (outcome.status === "scored") this.#noteScore(outcome);
      if (outcome.status === "failed" && outcome.proposer === own) this.#noteFailure(outcome);
    }
  }

  get memory(): Memory {
    return { best: this.#best, lessons: this.#lessons };
  }

  /** What is new makes new lists, so nobody needs a copy of these. */
  save(): SavedRecollection {
    return { best: this.#best, lessons: this.#lessons };
  }

  restore(saved: SavedRecollection): void {
    this.#best = saved.best;
    this.#lessons = saved.lessons;
  }

  #noteScore({ source, params, r2, complexity, skeleton }: Outcome): void {
    if (!Number.isFinite(r2)) return;
    const known = this.#best.find((standing) => standing.skeleton === skeleton);
    if (known !== undefined && known.r2 >= r2) return;
    const others = this.#best.filter((standing) => standing.skeleton !== skeleton);
    others.push({ source, params, r2, complexity, skeleton });
    others.sort((a, b) => b.r2 - a.r2 || a.complexity - b.complexity);
    this.#best = others.slice(0, STANDINGS);
  }

  #noteFailure({ source, failure }: Outcome): void {
    if (failure === undefined) return;
    const { code, message } = failure;
    const count = (this.#lessons.find((lesson) => lesson.code === code)?.count ?? 0) + 1;
    const others = this.#lessons.filter((lesson) => lesson.code !== code);
    this.#lessons = [{ source, code, message, count }, ...others].slice(0, LESSONS);
  }
}
