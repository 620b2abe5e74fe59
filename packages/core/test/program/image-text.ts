/**
 * An image as text, word by word: what the machine will read, with the names of codes in place of their
 * numbers. It takes every word of the image into account, or it throws.
 */

import * as codes from "../../src/bytecode/codes.js";
import { primitives } from "../../src/primitives/index.js";
import * as cells from "../../src/program/cells.js";
import * as layout from "../../src/program/layout.js";
import type { Image, ParsedProgram } from "../../src/program/parsed-program.js";
import { ImageHeader } from "../../src/program/structures.js";

/** Names of constants with a prefix, by value; the first that has it. */
function names(module: object, prefix: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const [name, value] of Object.entries(module))
    if (name.startsWith(prefix) && !found.has(value)) found.set(value, name.slice(prefix.length));
  return found;
}

const cellNames = names(cells, "CELL_");
const codeNames = names(codes, "CODE_");
const tagNames = names(layout, "TAG_");

const opName = (op: number): string => primitives[op]?.name ?? `op ${op}`;

/** Takes words one after the other. */
class Words {
  readonly words: Int32Array;
  at = layout.IMAGE_HEADER;

  constructor(words: Int32Array) {
    this.words = words;
  }

  next(): number {
    return this.words[this.at++] as number;
  }

  take(count: number): number[] {
    return Array.from({ length: count }, () => this.next());
  }

  value(): string {
    const [tag, data] = [this.next(), this.next()];
    const name = tagNames.get(tag) ?? tag;
    return `${name} ${tag === layout.TAG_PRIMITIVE ? opName(data) : data}`;
  }
}

type Reader = (words: Words) => string;
const plain =
  (count: number): Reader =>
  (words) =>
    words.take(count).join(" ");
/** A word, the count, the operands, further words. */
const operands =
  (more: (count: number) => number): Reader =>
  (words) => {
    const [own, count] = [words.next(), words.next()];
    return `${own} [${words.take(count).join(" ")}] ${words.take(more(count)).join(" ")}`.trim();
  };

const cellReaders = new Map<number, Reader>([
  [cells.CELL_CONST, (words) => words.value()],
  [cells.CELL_LOCAL, plain(1)],
  [cells.CELL_CAPTURED, plain(1)],
  [cells.CELL_GLOBAL, plain(1)],
  [cells.CELL_SELF, plain(0)],
  [cells.CELL_LOCAL_BOX, plain(1)],
  [cells.CELL_CAPTURED_BOX, plain(1)],
  [cells.CELL_IF, plain(3)],
  [cells.CELL_PRIMITIVE, (words) => `${opName(words.next())} [${plain(words.next())(words)}]`],
  [cells.CELL_CALL, operands(() => 0)],
  [cells.CELL_LAMBDA, (words) => `${plain(5)(words)} [${plain(words.next())(words)}]`],
  [cells.CELL_LET, operands(() => 1)],
  [cells.CELL_LETREC, operands((count) => 1 + count)],
  [cells.CELL_SEQ, operands(() => 0)],
  [cells.CELL_LOOP, operands(() => 1)],
  [cells.CELL_RECUR, operands(() => 1)],
  [cells.CELL_DEFINE, plain(2)],
  [cells.CELL_COPY, plain(1)],
]);

const codeReaders = new Map<number, Reader>([
  [codes.CODE_PUSH, (words) => words.value()],
  [codes.CODE_PRIMITIVE, (words) => `${opName(words.next())} ${words.next()}`],
  [codes.CODE_ARRIVE, (words) => `${plain(2)(words)} [${plain(words.next())(words)}]`],
  ...(
    [
      [0, [codes.CODE_SELF, codes.CODE_DROP, codes.CODE_SWAP, codes.CODE_RETURN]],
      [1, [codes.CODE_LOCAL, codes.CODE_STORE, codes.CODE_CAPTURED, codes.CODE_INPUT]],
      [1, [codes.CODE_PICK, codes.CODE_JUMP, codes.CODE_COUNT, codes.CODE_COPY, codes.CODE_CALL]],
      [1, [codes.CODE_TAIL_CALL, codes.CODE_APPLY]],
      [2, [codes.CODE_CLOSURE, codes.CODE_CALL_NAMED, codes.CODE_TAIL_NAMED]],
      [3, [codes.CODE_BRANCH]],
      [4, [codes.CODE_LOOP]],
      [5, [codes.CODE_PROCEDURE]],
    ] as const
  ).flatMap(([count, kinds]) => kinds.map((kind) => [kind, plain(count)] as const)),
]);

function flagsOf(word: number): string {
  const tail = (word & cells.FLAG_TAIL) === 0 ? "" : " tail";
  return tail + ((word & cells.FLAG_APPLY) === 0 ? "" : " spread");
}

/** The image of a program as text; `source` gives every line the words of the user. */
export function imageText(
  { words, symbols }: Image,
  parsed: ParsedProgram,
  source: string,
): string {
  const header = new ImageHeader({ words }, 0);
  const isStack = header.client === layout.CLIENT_STACK;
  const read = new Words(words);
  const lines = [
    `words ${header.words}, entry ${header.entry}, inputs ${header.inputs}, ` +
      `globals ${header.globals}, stack ${header.stack}, control ${header.control}, ` +
      `constants ${header.constants} at ${header.constantsAt}, heap ${header.heap} at ${header.heapAt}`,
  ];
  while (read.at + 1 < header.constantsAt) {
    const at = read.at;
    const [word, node] = [read.next(), read.next()];
    const kind = isStack ? word : word & 255;
    const reader = (isStack ? codeReaders : cellReaders).get(kind);
    if (reader === undefined) throw new Error(`no kind ${kind} at ${at}`);
    const name = (isStack ? codeNames : cellNames).get(kind);
    const span = parsed.spanOf(node);
    const text = span === undefined ? "" : source.slice(span.start, span.end).replace(/\s+/g, " ");
    const flags = isStack ? "" : flagsOf(word);
    lines.push(`${at} ${name}${flags} ${reader(read)}  ;${node} ${text.slice(0, 40)}`);
  }
  if (read.at < header.constantsAt && read.next() !== 0) throw new Error("padding is not 0");
  const reals = new Float64Array(words.slice(read.at, read.at + 2 * header.constants).buffer);
  read.at += 2 * header.constants;
  if (read.at !== header.heapAt) throw new Error(`the heap does not begin at ${read.at}`);
  const heap: string[] = [];
  while (read.at < header.words) {
    const [fields, data] = [read.next(), read.next()];
    heap.push(`${data}(${Array.from({ length: fields }, () => read.value()).join(", ")})`);
  }
  if (reals.length > 0)
    lines.push(`reals ${Array.from(reals, (x) => (Object.is(x, -0) ? "-0" : x)).join(" ")}`);
  if (heap.length > 0) lines.push(`heap ${heap.join(" ")}`);
  if (symbols.length > 0) lines.push(`symbols ${symbols.join(" ")}`);
  return lines.join("\n");
}

/** Answers about every node, whole. */
export function parsedText(parsed: ParsedProgram, nodes: number): string {
  const { inputs, constants, procedureValues, hasBranches } = parsed;
  const lines = [JSON.stringify({ inputs, constants, procedureValues, hasBranches })];
  for (const name of inputs) lines.push(`${name} ${JSON.stringify(parsed.inputSpan(name))}`);
  for (let node = -1; node <= nodes; node++) {
    const answers = [
      parsed.variableAt(node),
      parsed.calledAt(node, false),
      parsed.calledAt(node, true),
      parsed.operationAt(node),
      ...[0, 1, 2].map((operand) => parsed.operandAt(node, operand)),
    ];
    const { start, end } = parsed.spanOf(node) ?? {};
    lines.push(`${node} ${start}-${end} ${answers.map((answer) => answer ?? "·").join(" ")}`);
  }
  return lines.join("\n");
}
