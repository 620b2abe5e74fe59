/**
 * Structures as classes without management of memory, which asc turns into loads and stores at
 * constant offsets, and a function for each that takes an address for the structure there.
 */

import { bytesOf, type Field, type Layout, type NumberType } from "./define.js";

const DECORATOR = "// @ts-ignore: decorator";

/** Numbers that hold a structure inside another, or the further ones of several. */
function storage({ name, type, count }: Field): string[] {
  if (typeof type !== "string")
    return Array.from({ length: (count * bytesOf(type)) / 8 }, (_, i) => `  ${name}${i}: f64;`);
  return Array.from({ length: count - 1 }, (_, i) => `  ${name}${i + 1}: ${type};`);
}

/** The address of a field that is a structure, or of one of several. */
function addressMethod({ name, type, count, offset }: Field): string[] {
  if (typeof type !== "string")
    return [
      `  @inline ${name}At(): usize {`,
      `    return changetype<usize>(this) + ${offset};`,
      "  }",
    ];
  if (count === 1) return [];
  const shift = Math.log2(bytesOf(type));
  return [
    `  @inline ${name}At(i: i32): usize {`,
    `    return changetype<usize>(this) + ${offset} + (<usize>i << ${shift});`,
    "  }",
  ];
}

function fieldLines(field: Field): string[] {
  const isNumber = typeof field.type === "string";
  const first = isNumber ? [`  ${field.name}: ${field.type as NumberType};`] : [];
  return [`  /** ${field.doc} */`, ...first, ...storage(field)];
}

function classText({ name, at, doc, base, fields, end }: Layout): string {
  const methods = fields.flatMap(addressMethod);
  return [
    `/** ${doc} */`,
    "@unmanaged",
    `export class ${name}${base === undefined ? "" : ` extends ${base.name}`} {`,
    ...fields.flatMap(fieldLines),
    ...methods,
    "}",
    `if (offsetof<${name}>() != ${end}) ERROR("${name} is not as it was declared");`,
    "",
    DECORATOR,
    `@inline export function ${at}(address: usize): ${name} {`,
    `  return changetype<${name}>(address);`,
    "}",
    "",
  ].join("\n");
}

export function generateClasses(title: string, header: string, layouts: readonly Layout[]): string {
  return `/**\n * ${title}\n * ${header}\n */\n\n${layouts.map(classText).join("\n")}`;
}
