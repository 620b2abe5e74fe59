/**
 * Reading a language model's answer: programs out of whatever it wrote.
 *
 * The model is asked for `{ "programs": [ { "source": …, "idea": … } ] }`. What comes is often that
 * inside a code fence, behind a sentence, or a bare list. Anything that holds programs is taken, as
 * many as were asked for; anything else is a problem that names what was wrong.
 */

import { excerpt, field, wellFormed } from "./completion.js";
import { type ParsedJson, parseJson } from "./json.js";

/** JSON Schema of the answer asked for. */
export const answerSchema = {
  type: "object",
  properties: {
    programs: {
      type: "array",
      description: "Different programs, best guess first",
      items: {
        type: "object",
        properties: {
          source: {
            type: "string",
            description: "The program, one expression in the Scheme described",
          },
          idea: { type: "string", description: "Half a sentence: what it models" },
        },
        required: ["source", "idea"],
        additionalProperties: false,
      },
    },
  },
  required: ["programs"],
  additionalProperties: false,
} as const;

export type ReadAnswer =
  | {
      readonly programs: readonly string[];
      /** Programs beyond those asked for, and those longer than any program that is fitted. */
      readonly surplus: number;
      readonly tooLong: number;
    }
  | { readonly problem: string; readonly isRefusal: boolean };

export interface Reading {
  /** Programs that were asked for: more are not taken. */
  readonly most: number;
  /** Takes secrets out of a text that is repeated to the user. */
  readonly clean: (text: string) => string;
}

/** Characters of an answer that are searched for words of refusal. */
const REFUSAL_LENGTH = 4_000;
/** Characters of an answer that secrets are taken out of, of which a message shows the first few. */
const CLEANED_LENGTH = 65_536;
/** Characters of the longest program that is taken. */
const SOURCE_LENGTH_MAX = 20_000;

export function readAnswer(text: string, { most, clean }: Reading): ReadAnswer {
  const parsed = piecesOf(text).map(parseJson);
  const found = parsed.flatMap((one) => ("json" in one ? [one.json] : []));
  if (found.length === 0 && parsed.some(isTooDeep)) {
    return { problem: "the answer is JSON that is nested too deeply", isRefusal: false };
  }
  if (found.length === 0) {
    const beginning = text.slice(0, CLEANED_LENGTH);
    return { problem: describeText(clean(beginning)), isRefusal: soundsRefused(text) };
  }
  // A list of one program also reads as the object inside it, which holds no list.
  const sources = found.map(sourcesIn).find((list) => list !== undefined);
  if (sources === undefined) {
    return { problem: "the JSON in the answer has no list of programs", isRefusal: false };
  }
  const texts = sources.map((source) => wellFormed(source).trim()).filter((each) => each !== "");
  const programs = texts.filter((source) => source.length <= SOURCE_LENGTH_MAX);
  const tooLong = texts.length - programs.length;
  if (programs.length === 0) {
    const what = tooLong > 0 ? "no program of less than 20,000 characters" : "no program";
    return { problem: `the answer holds ${what}`, isRefusal: false };
  }
  const surplus = Math.max(0, programs.length - most);
  return { programs: programs.slice(0, most), surplus, tooLong };
}

/**
 * The list asked for, or what models write instead; undefined where there is none. What is no program
 * in it is left out, so that one bad entry costs none of its neighbours.
 */
function sourcesIn(json: unknown): string[] | undefined {
  const list = field(json, "programs") ?? json;
  if (!Array.isArray(list)) return undefined;
  const sources = list
    .map((each: unknown) => field(each, "source") ?? each)
    .filter((source) => typeof source === "string");
  return sources.length > 0 || list.length === 0 ? sources : undefined;
}

const isTooDeep = (parsed: ParsedJson): boolean =>
  "problem" in parsed && parsed.problem === "JSON that is nested too deeply";

/** What may be JSON: the whole text, a fenced block, from the first bracket to the last. */
function piecesOf(text: string): string[] {
  const pieces = [text, fencedIn(text), between(text, "{", "}"), between(text, "[", "]")];
  return pieces.filter((piece) => piece !== undefined);
}

const FENCE = "```";

/** What stands behind the first fence, up to the next one, without the line of the fence itself. */
function fencedIn(text: string): string | undefined {
  const inside = text.split(FENCE, 2)[1];
  return inside?.slice(inside.indexOf("\n") + 1);
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start < 0 ? undefined : text.slice(start, end + 1);
}

function soundsRefused(text: string): boolean {
  return /\b(can't|cannot|can not|unable to|won't|not able to|sorry)\b/i.test(
    text.slice(0, REFUSAL_LENGTH),
  );
}

function describeText(text: string): string {
  if (text.trim() === "") return "the answer is empty";
  const what = soundsRefused(text) ? "the model declined" : "the answer is not the JSON asked for";
  return `${what}: "${excerpt(text)}"`;
}
