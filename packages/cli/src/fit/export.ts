/** `--export format[=file]`: the fitted model as text of another language. */

import { type FitResult, nearest } from "@ndvm/core";
import { UsageError } from "../inputs.js";

const FORMATS = ["scheme", "json", "js", "latex", "sympy", "numpy"] as const;
export type ExportFormat = (typeof FORMATS)[number];

export interface Export {
  readonly format: ExportFormat;
  /** Undefined: standard output. */
  readonly file: string | undefined;
}

const ALIASES: Readonly<Record<string, ExportFormat>> = {
  scm: "scheme",
  javascript: "js",
  tex: "latex",
};

export function parseExports(texts: readonly string[] = []): Export[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    const word = (at < 0 ? text : text.slice(0, at)).trim().toLowerCase();
    const format = FORMATS.find((name) => name === word) ?? ALIASES[word];
    if (format === undefined) {
      const near = nearest(word, FORMATS);
      throw new UsageError(
        `--export has no format ${word}; ${near === undefined ? "" : `did you mean ${near}? `}` +
          `The formats are ${FORMATS.join(", ")}`,
      );
    }
    const file = at < 0 ? undefined : text.slice(at + 1).trim();
    if (file === "") throw new UsageError(`--export ${text} names no file`);
    return { format, file };
  });
}

export interface ExportedModel extends Export {
  readonly text: string;
}

export function writeModels(_result: FitResult, exports: readonly Export[]): ExportedModel[] {
  return exports.map((one) => ({ ...one, text: "" }));
}
