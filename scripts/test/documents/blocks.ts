/**
 * The code blocks of the documentation, and what the comments above them say.
 *
 *   <!-- not run: it needs a Redis server -->      the block is compiled, and not run, for this reason
 *   <!-- not compiled: a bundler makes it -->      nor is it compiled
 *   <!-- given
 *   const t = [0, 1, 2];
 *   -->                                            code that runs before the block, which nobody sees
 *   <!-- goes on -->                               the block runs after the page's previous one
 *
 * Blocks are fenced (js, ts, python), or indented by four and hold commands (`ndvm …`, `npx ndvm …`).
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

export interface Block {
  /** Page and line, as people find it. */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
  readonly given: string;
  readonly goesOn: boolean;
  /** Why it is not run; undefined where it is. */
  readonly reason: string | undefined;
  readonly isCompiled: boolean;
  /** What the page says it prints: the indented lines after "It prints". */
  readonly prints: string | undefined;
}

const listed = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const packageReadmes = readdirSync(join(root, "packages")).map((name) =>
  join("packages", name, "README.md"),
);

/** Every page that shows people code to run. */
export const pages: readonly string[] = [
  "README.md",
  ...listed("docs"),
  ...packageReadmes,
  "python/README.md",
];

interface Marks {
  readonly given: string;
  readonly goesOn: boolean;
  readonly reason: string | undefined;
  readonly isCompiled: boolean;
}

/** The comments right above a line; blank lines between do not count. */
function marksAbove(lines: readonly string[], line: number): Marks {
  let text = lines.slice(0, line).join("\n").trimEnd();
  const marks: { -readonly [Key in keyof Marks]: Marks[Key] } = {
    given: "",
    goesOn: false,
    reason: undefined,
    isCompiled: true,
  };
  for (;;) {
    const comment = /<!--((?:(?!-->)[\s\S])*)-->$/.exec(text);
    if (comment === null) return marks;
    const said = (comment[1] ?? "").trim();
    const why = /^not (run|compiled): (.*)$/s.exec(said);
    if (why !== null) {
      marks.reason = why[2];
      marks.isCompiled = why[1] === "run";
    } else if (said.startsWith("given\n")) marks.given = said.slice("given\n".length);
    else if (said === "goes on") marks.goesOn = true;
    else throw new Error(`nobody knows the comment "${said}"`);
    text = text.slice(0, comment.index).trimEnd();
  }
}

const INDENT = "    ";

export function blocksOf(page: string): Block[] {
  const lines = readFileSync(join(root, page), "utf8").split("\n");
  const blocks: Block[] = [];
  const add = (at: number, language: string, body: readonly string[], after: number) =>
    blocks.push({
      place: `${page}:${at + 1}`,
      page,
      language,
      text: body.join("\n").trimEnd(),
      prints: printedAfter(lines, after),
      ...marksAbove(lines, at),
    });
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const fence = /^```(\w*)/.exec(line);
    const end = fence === null ? indentedEnd(lines, at) : lines.indexOf("```", at + 1);
    if (end <= at) continue;
    if (fence !== null) add(at, fence[1] ?? "", lines.slice(at + 1, end), end + 1);
    else {
      const body = lines.slice(at, end).map((each) => each.slice(INDENT.length));
      if (body.some(isCommand)) add(at, "sh", body, end);
    }
    at = end;
  }
  return blocks;
}

const isCommand = (line: string): boolean => /^(\$ )?(npx )?ndvm /.test(line);

/** The line after an indented block that begins here; blank lines may lie inside. */
function indentedEnd(lines: readonly string[], from: number): number {
  const isIndented = (line: string | undefined) => line?.startsWith(INDENT) ?? false;
  if (!isIndented(lines[from]) || (from > 0 && lines[from - 1] !== "")) return from;
  let end = from;
  for (let at = from; at < lines.length && (isIndented(lines[at]) || lines[at] === ""); at++)
    if (isIndented(lines[at])) end = at + 1;
  return end;
}

function printedAfter(lines: readonly string[], from: number): string | undefined {
  const said = lines.slice(from, from + 4).indexOf("It prints");
  if (said < 0) return undefined;
  const begin = from + said + 2;
  return lines
    .slice(begin, indentedEnd(lines, begin))
    .map((line) => line.slice(INDENT.length))
    .join("\n");
}

export interface Command {
  readonly words: string;
  /** Lines that the page shows below it; empty where it shows none. */
  readonly output: string;
}

/** The commands of a block. With prompts, the lines between them are what they print. */
export function commandsOf({ text }: Block): Command[] {
  const lines = text.replaceAll(/ \\\n\s+/g, " ").split("\n");
  const hasPrompts = lines.some((line) => line.startsWith("$ "));
  const commands: { words: string; output: string[] }[] = [];
  for (const line of lines) {
    const isNext = hasPrompts ? line.startsWith("$ ") : line !== "";
    if (isNext)
      commands.push({ words: line.replace(/^\$ /, "").replace(/\s+# .*$/, ""), output: [] });
    else commands.at(-1)?.output.push(line);
  }
  return commands.map(({ words, output }) => ({ words, output: output.join("\n").trim() }));
}
