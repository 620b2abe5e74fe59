/** Structures as classes of TypeScript that read and write a machine's memory, or arrays like it. */

import type { Field, Layout } from "./define.js";

/** All fields, those of the base first. */
export const allFields = (layout: Layout): readonly Field[] => [
  ...(layout.base === undefined ? [] : allFields(layout.base)),
  ...layout.fields,
];

const isNumber = ({ type, count }: Field): boolean => typeof type === "string" && count === 1;
const isDouble = ({ type }: Field): boolean => type === "f64";

/** Where a field lies, as an element of one of the two views. */
function placeText(field: Field): string {
  const unit = isDouble(field) ? 8 : 4;
  const view = isDouble(field) ? "doubles" : "words";
  const base = isDouble(field) ? "double" : "word";
  return `this.#${view}[this.#${base} + ${field.offset / unit}]`;
}

function accessors(field: Field): string[] {
  const { name, doc, type } = field;
  const place = placeText(field);
  const isUnsigned = type === "u32" || type === "usize";
  const number = isUnsigned ? `(${place} as number) >>> 0` : `${place} as number`;
  return [
    `  /** ${doc} */`,
    `  get ${name}(): number {`,
    `    return ${number};`,
    "  }",
    `  set ${name}(value: number) {`,
    `    ${place} = value;`,
    "  }",
  ];
}

function viewText(layout: Layout): string {
  const fields = allFields(layout).filter(isNumber);
  const hasWords = fields.some((field) => !isDouble(field));
  const hasDoubles = fields.some(isDouble);
  const type = hasWords ? (hasDoubles ? "Words & Doubles" : "Words") : "Doubles";
  const own = [
    ...(hasWords ? [["words", "word", 4] as const] : []),
    ...(hasDoubles ? [["doubles", "double", 8] as const] : []),
  ];
  return [
    `/** ${layout.doc} */`,
    `export class ${layout.name} {`,
    ...own.flatMap(([view, base]) => [
      `  readonly #${view}: Numbers;`,
      `  readonly #${base}: number;`,
    ]),
    "",
    `  constructor(memory: ${type}, at: number) {`,
    ...own.flatMap(([view, base, bytes]) => [
      `    this.#${view} = memory.${view};`,
      `    this.#${base} = at / ${bytes};`,
    ]),
    "  }",
    ...fields.flatMap((field) => ["", ...accessors(field)]),
    "}",
    "",
  ].join("\n");
}

const MEMORY = `/** A view of memory, or numbers that lie as they do there. */
type Numbers = { [index: number]: number };
interface Words {
  readonly words: Numbers;
}
interface Doubles {
  readonly doubles: Numbers;
}
`;

export function generateViews(title: string, header: string, layouts: readonly Layout[]): string {
  const views = layouts.filter(({ host }) => host).map(viewText);
  const used = views.join("\n");
  const kinds = MEMORY.split(/(?=interface )/).filter(
    (part, i) => i === 0 || used.includes(part.split(" ")[1] as string),
  );
  return `/**\n * ${title} An object speaks of one address.\n * ${header}\n */\n\n${kinds.join("")}\n${used}`;
}
