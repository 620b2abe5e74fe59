/**
 * Reading a language model's answer: programs out of whatever it wrote.
 *
 * The model is asked for `{ "programs": [ { "source": …, "idea": … } ] }`. What comes is often that
 * inside a code fence, behind a sentence, or a bare list. Anything that holds programs is taken;
 * anything else is a problem that names what was wrong.
 */

import { z } from "zod";

export const answerSchema = z.object({
  programs: z
    .array(
      z.object({
        source: z.string().describe("The program, one expression in the Scheme described"),
        idea: z.string().describe("Half a sentence: what it models").optional(),
      }),
    )
    .describe("Different programs, best guess first"),
});

/** What models write instead of the object asked for. */
const looseSchema = z.union([
  answerSchema.transform((answer) => answer.programs.map((program) => program.source)),
  z.object({ programs: z.array(z.string()) }).transform((answer) => answer.programs),
  z
    .array(z.object({ source: z.string() }))
    .transform((programs) => programs.map((program) => program.source)),
  z.array(z.string()),
]);

export type ReadAnswer =
  | { readonly programs: readonly string[] }
  | { readonly problem: string; readonly isRefusal: boolean };

/** Longest piece of an answer that a message repeats. */
const EXCERPT = 120;

export function readAnswer(text: string): ReadAnswer {
  const json = parseSomewhere(text);
  if (json === undefined) return { problem: describeText(text), isRefusal: soundsRefused(text) };
  const answer = looseSchema.safeParse(json);
  if (!answer.success) {
    return { problem: "the JSON in the answer has no list of programs", isRefusal: false };
  }
  const programs = answer.data.map((source) => source.trim()).filter((source) => source !== "");
  if (programs.length === 0) return { problem: "the answer holds no program", isRefusal: false };
  return { programs };
}

/** The first of: the whole text, a fenced block, from the first bracket to the last. */
function parseSomewhere(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1];
  for (const piece of [text, fenced, between(text, "{", "}"), between(text, "[", "]")]) {
    if (piece === undefined) continue;
    try {
      return JSON.parse(piece);
    } catch {
      // Not JSON: the next piece may be.
    }
  }
  return undefined;
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start >= 0 && end > start ? text.slice(start, end + 1) : undefined;
}

function soundsRefused(text: string): boolean {
  return /\b(can't|cannot|can not|unable to|won't|not able to|sorry)\b/i.test(text);
}

function describeText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "the answer is empty";
  const excerpt = line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
  const what = soundsRefused(text) ? "the model declined" : "the answer is not the JSON asked for";
  return `${what}: "${excerpt}"`;
}
