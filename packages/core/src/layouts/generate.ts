/**
 * Writes what follows from the declarations of layouts, by path from the repository's root:
 *
 *   src/program/layout.ts, src/fit/layout.ts              codes and sizes, for both compilers
 *   wasm/memory/layout.ts, wasm/fit/layout.ts             structures, for asc
 *   src/program/structures.ts, src/fit/structures.ts      readers and writers, for TypeScript
 *   docs/memory.md                                        the tables between its marks
 */

import { generateClasses } from "./asc-text.js";
import type { Codes, Layout } from "./define.js";
import { fitCodes, fitLayouts } from "./fit.js";
import { machineLayouts } from "./machine.js";
import { machineCodes } from "./machine-codes.js";
import { fillPage } from "./page-text.js";
import { generateViews } from "./view-text.js";

const CORE = "packages/core";
const PAGE = "docs/memory.md";
const HEADER = "Generated from src/layouts by `npm run gen`; do not edit.";

/** A constant with its comment, which goes above where it is too long for the line. */
function constantText(name: string, value: number, doc: string): string {
  const text = `export const ${name}: i32 = ${value};`;
  if (doc === "") return text;
  const line = `${text} // ${doc}`;
  return line.length <= 100 ? line : `// ${doc}\n${text}`;
}

function generateConstants(
  title: string,
  codes: readonly Codes[],
  layouts: readonly Layout[],
): string {
  const groups = codes.map(({ doc, codes: members }) =>
    [`// ${doc}`, ...members.map(([name, value, holds]) => constantText(name, value, holds))].join(
      "\n",
    ),
  );
  const sizes = layouts.flatMap(({ size, name }) =>
    size === undefined ? [] : [constantText(size.name, size.value, name)],
  );
  const parts = [...groups, ["// Sizes of structures.", ...sizes].join("\n")];
  return `/**\n * ${title}\n * ${HEADER}\n */\n\n${parts.join("\n\n")}\n`;
}

/** All generated files; `read` gives the text of a page that is filled in. */
export function layoutFiles(read: (path: string) => string): ReadonlyMap<string, string> {
  const codes = [...machineCodes, ...fitCodes];
  const layouts = [...machineLayouts, ...fitLayouts];
  return new Map([
    [
      `${CORE}/src/program/layout.ts`,
      generateConstants(
        "Codes and sizes that both sides of the WebAssembly boundary know: tsc and asc compile it.",
        machineCodes,
        machineLayouts,
      ),
    ],
    [
      `${CORE}/src/fit/layout.ts`,
      generateConstants(
        "Codes and sizes of fits that both sides of the boundary know: tsc and asc compile it.",
        fitCodes,
        fitLayouts,
      ),
    ],
    [
      `${CORE}/wasm/memory/layout.ts`,
      generateClasses("The structures of memory, for asc.", HEADER, machineLayouts),
    ],
    [
      `${CORE}/wasm/fit/layout.ts`,
      generateClasses("The structures of a fit, for asc.", HEADER, fitLayouts),
    ],
    [
      `${CORE}/src/program/structures.ts`,
      generateViews("Readers and writers of the machine's structures.", HEADER, machineLayouts),
    ],
    [
      `${CORE}/src/fit/structures.ts`,
      generateViews("Readers and writers of a fit's structures.", HEADER, fitLayouts),
    ],
    [PAGE, fillPage(read(PAGE), codes, layouts)],
  ]);
}
