/** `--export format[=file]`: the fitted model as text of another language. */

import { type ExportFormat, type FitResult, NdvmError, nearest } from "@ndvm/core";
import { UsageError } from "../inputs.js";

/** What is typed, and what `exportModel` calls it. */
const FORMATS: Readonly<Record<string, ExportFormat>> = {
  scheme: "scheme",
  json: "json",
  js: "javascript",
  latex: "latex",
  sympy: "sympy",
  numpy: "numpy",
  math: "math",
  javascript: "javascript",
};
const SHOWN = ["scheme", "json", "js", "latex", "sympy", "numpy", "math"];

export interface Export {
  readonly format: ExportFormat;
  /** Undefined: standard output. */
  readonly file: string | undefined;
}

export function parseExports(texts: readonly string[] = []): Export[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    const word = (at < 0 ? text : text.slice(0, at)).trim().toLowerCase();
    const format = Object.hasOwn(FORMATS, word) ? FORMATS[word] : undefined;
    if (format === undefined) {
      const near = nearest(word, Object.keys(FORMATS));
      throw new UsageError(
        `--export has no format ${word}${near === undefined ? "." : `; did you mean ${near}?`} ` +
          `The formats are ${SHOWN.join(", ")}`,
      );
    }
    const file = at < 0 ? undefined : text.slice(at + 1).trim();
    if (file === "") throw new UsageError(`--export ${text} names no file`);
    return { format, file };
  });
}

export interface ExportedModel extends Export {
  readonly text: string;
  /** Why there is no text: a program without a closed form, for instance. */
  readonly error?: NdvmError;
}

/** The models as text. One that cannot be written keeps its reason: the fit is worth showing. */
export function writeModels(
  result: FitResult,
  exports: readonly Export[],
  group: string | undefined,
): ExportedModel[] {
  return exports.map((one) => {
    const isModule = one.format === "javascript" && one.file !== undefined;
    try {
      const text = result.export(one.format, {
        ...(group === undefined ? {} : { group }),
        ...(isModule ? { isModule } : {}),
      });
      return { ...one, text: text.endsWith("\n") ? text : `${text}\n` };
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return { ...one, text: "", error };
    }
  });
}
