/**
 * A model outside of this library: as text of Scheme, JSON, JavaScript, Python, LaTeX, or as a line
 * of mathematics.
 */

import { NdvmError } from "../errors.js";
import { readProgram } from "../machine/languages.js";
import { badOption, checkLoadNames } from "../machine/options.js";
import type { Program } from "../machine/program.js";
import type { LoadOptions } from "../machine/types.js";
import { checkNames, namesOf } from "../option-names.js";
import { ParsedScheme } from "../program/parsed-scheme.js";
import { emptyRecord, own, recordOf } from "../records.js";
import type { Expansion } from "../syntax/core.js";
import { nearest } from "../syntax/suggest.js";
import { type ExportFormat, exportFormats } from "./formats.js";
import { writeJavaScript } from "./javascript.js";
import { helperNames } from "./javascript-helpers.js";
import { writeLatex, writeMath } from "./mathematics.js";
import { isIdentifier } from "./names.js";
import { writeNumpy, writeSympy } from "./python.js";
import { writeScheme } from "./scheme.js";
import { closedForm } from "./symbolic.js";
import { refusal } from "./symbolic-values.js";

export interface ExportOptions {
  /** Name of the function, for JavaScript and NumPy. Default "model". */
  readonly name?: string;
  /** Leaves parameters as names instead of writing their values in. */
  readonly isSymbolic?: boolean;
  /**
   * Significant digits of constants in LaTeX and mathematics; elsewhere all. Default 6, and more where
   * predictions would show the rest.
   */
  readonly digits?: number;
  /** Scheme: definitions before the text instead of numbers in it. */
  readonly constants?: "inline" | "define";
  /** JavaScript: `export` before the function. */
  readonly isModule?: boolean;
  /** The group whose parameters are written, for a fit with groups. */
  readonly group?: string | number;
}

const NAMES = namesOf<ExportOptions>({
  name: 1,
  isSymbolic: 1,
  digits: 1,
  constants: 1,
  isModule: 1,
  group: 1,
});

/** A program with values for some of its inputs. */
export interface ModelSource {
  /** A loaded program, or its text. */
  readonly program: Program | string;
  /** How a text is loaded; a program knows it. Inputs that the model never names are left out. */
  readonly load?: LoadOptions;
  readonly params?: Readonly<Record<string, number>>;
  /** Significant digits that the values need, where that is known. */
  readonly digits?: Readonly<Record<string, number>>;
  /** Inputs that are numbers, never vectors, where that is known. */
  readonly numbers?: readonly string[];
  /** Inputs that are vectors or matrices, where no vector procedure of the program tells it. */
  readonly tensors?: readonly string[];
  /** What else JSON shall hold. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** What can export itself, as the result of a fit does. */
export interface Exportable {
  export(format: ExportFormat, options?: ExportOptions): string;
}

interface Model {
  readonly source: string;
  readonly expansion: Expansion;
  readonly load: LoadOptions;
  /** Values that are written into the model: none where parameters stay names. */
  readonly params: Readonly<Record<string, number>>;
  /** Values of all parameters that the program names. */
  readonly values: Readonly<Record<string, number>>;
  readonly given: ModelSource;
}

/** The text of a fitted model, or of a program with values for its parameters. */
export function exportModel(
  source: ModelSource | Exportable,
  format: ExportFormat,
  options: ExportOptions = {},
): string {
  checkOptions(format, options);
  checkSource(source);
  if ("export" in source) return source.export(format, options);
  const model = modelOf(source, options);
  const name = options.name ?? "model";
  try {
    switch (format) {
      case "scheme":
        return writeScheme(
          model.source,
          model.expansion,
          model.params,
          options.constants ?? "inline",
        );
      case "json":
        return writeJson(model);
      case "javascript":
        return writeJavaScript(model.expansion, {
          name,
          params: model.params,
          isClamped: model.load.domain === "clamp",
          isModule: options.isModule ?? false,
          numbers: source.numbers ?? [],
          hasTensors: (source.tensors ?? []).length > 0,
        });
      default:
        return withinStack(() => writeClosedForm(model, format, options));
    }
  } catch (error) {
    throw error instanceof NdvmError ? error.in(model.source, model.load.file) : error;
  }
}

/** A loop that turns often builds a formula of so many levels that nobody can go down to its end. */
function withinStack(write: () => string): string {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refusal("its formula is nested too deep to be written out");
  }
}

function writeClosedForm(
  { expansion, params, load, given }: Model,
  format: "latex" | "math" | "numpy" | "sympy",
  { name = "model", digits: asked }: ExportOptions,
): string {
  const digits = asked === undefined ? digitsOfConstants(params, given.digits) : () => asked;
  const form = closedForm(expansion, params, load.domain === "clamp");
  if (format === "latex") return writeLatex(form, digits);
  if (format === "math") return writeMath(form, digits);
  return format === "numpy" ? writeNumpy(form, name) : writeSympy(form, name);
}

/** Digits of numbers of which nothing is known: 6, and of large ones those down to hundredths. */
const DIGITS = 6;
const DIGITS_MOST = 15;
const usualDigits = (value: number): number => {
  const exponent =
    value === 0 || !Number.isFinite(value) ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return Math.min(DIGITS_MOST, DIGITS + Math.max(0, exponent - 3));
};

/** Significant digits of a constant: a parameter's own, or the most of any where several became one. */
function digitsOfConstants(
  params: Readonly<Record<string, number>>,
  known: ModelSource["digits"] = {},
): (value: number, isExact: boolean) => number {
  const own = new Map<number, number>();
  for (const [name, value] of Object.entries(params)) {
    const size = Math.abs(value);
    const needed = Object.hasOwn(known, name) ? (known[name] as number) : usualDigits(value);
    own.set(size, Math.max(own.get(size) ?? 0, needed));
  }
  const most = Math.max(DIGITS, ...own.values());
  return (value, isExact) =>
    isExact ? DIGITS_MOST : (own.get(Math.abs(value)) ?? Math.max(most, usualDigits(value)));
}

function checkOptions(format: string, options: ExportOptions): void {
  const known: readonly string[] = exportFormats;
  if (!known.includes(format)) {
    const near = nearest(format, known);
    throw new NdvmError("E-OPTION", `there is no export format ${format}`, {
      help: near === undefined ? `formats are ${known.join(", ")}` : `did you mean ${near}?`,
    });
  }
  checkNames("exportModel", options, NAMES);
  const { name = "model", digits = 6 } = options;
  const isTaken = format === "javascript" && helperNames.includes(name);
  if (typeof name !== "string" || !isIdentifier(name) || isTaken)
    throw new NdvmError("E-OPTION", `${JSON.stringify(name)} cannot be the name of a function`, {
      help: "use letters, digits and _, and no word that JavaScript, Python or the text itself uses",
    });
  if (!(Number.isInteger(digits) && digits >= 1 && digits <= 17))
    throw new NdvmError("E-OPTION", `digits is ${digits}`, { help: "it is from 1 to 17" });
}

/** Callers without types give other things, such as the program alone. */
function checkSource(source: unknown): void {
  const isObject = typeof source === "object" && source !== null;
  if (isObject && "export" in source) return;
  const program = isObject && "program" in source ? source.program : undefined;
  if (isObject && "load" in source && source.load !== undefined) checkLoadNames(source.load);
  if (typeof program === "string") return;
  if (typeof program === "object" && program !== null && "loadOptions" in program) return;
  throw new NdvmError("E-INPUT", "there is no program to export", {
    help: "give { program } with a text or a loaded program, or the result of a fit",
  });
}

function modelOf(given: ModelSource, options: ExportOptions): Model {
  const { program } = given;
  const loaded = typeof program === "string" ? readText(program, given.load) : program;
  const { source, loadOptions } = loaded;
  const all = expansionOf(loaded.parsed);
  checkParams(given.params, all.inputs);
  const expansion = withNamedInputs(all);
  const isNamed = (name: string): boolean => expansion.inputs.includes(name);
  const declared = loadOptions.inputs?.filter(isNamed);
  const load = declared === undefined ? loadOptions : { ...loadOptions, inputs: declared };
  const params = Object.entries(given.params ?? {}).filter(([name]) => isNamed(name));
  const values = recordOf(params);
  const written = options.isSymbolic === true ? emptyRecord<number>() : values;
  return { source, load, expansion, params: written, values, given };
}

function checkParams(params: ModelSource["params"] = {}, inputs: readonly string[]): void {
  if (typeof params !== "object" || params === null)
    throw badOption("params", "an object of numbers by their names", params);
  for (const [name, value] of Object.entries(params)) {
    if (!inputs.includes(name))
      throw new NdvmError("E-INPUT", `the program has no parameter ${name}`, {
        help: `its free names are ${inputs.join(", ") || "none"}`,
      });
    if (typeof value !== "number")
      throw new NdvmError("E-INPUT", `the value of ${name} is not a number`);
  }
}

/** What is known of a loaded program, of a text that no machine holds. */
function readText(
  source: string,
  load: LoadOptions = {},
): Pick<Program, "source" | "loadOptions" | "parsed"> {
  try {
    const parsed = readProgram(source, load);
    // What is wrong with the text shows when its nodes are asked for.
    if (parsed instanceof ParsedScheme) void parsed.expansion;
    return { source, loadOptions: load, parsed };
  } catch (error) {
    throw error instanceof NdvmError ? error.in(source, load.file) : error;
  }
}

/** Only Scheme has core nodes to read a formula from. */
function expansionOf(parsed: Program["parsed"]): Expansion {
  if (parsed instanceof ParsedScheme) return parsed.expansion;
  throw new NdvmError("E-OPTION", "only programs in Scheme can be exported", {
    help: "write the model in Scheme and load it with machine.load",
  });
}

/** As if only those inputs had been declared that the program names: a study declares all its columns. */
function withNamedInputs(expansion: Expansion): Expansion {
  const named = new Set(expansion.nodes.map((node) => (node.kind === "input" ? node.name : "")));
  return { ...expansion, inputs: expansion.inputs.filter((name) => named.has(name)) };
}

/** Numbers that JSON has no word for are written as words. */
const jsonValue = (_key: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value)
    ? String(value)
    : ArrayBuffer.isView(value)
      ? Array.from(value as Float64Array)
      : value;

function writeJson({ source, expansion, load, values: params, given }: Model): string {
  const model = {
    format: "ndvm-model",
    version: 1,
    source,
    scheme: writeScheme(source, expansion, params, "inline"),
    inputs: expansion.inputs.filter((name) => own(params, name) === undefined),
    params,
    domain: load.domain ?? "ieee",
    // Names that are inputs though primitives are called so: a reader of the text must declare them.
    declared: load.inputs ?? [],
    ...given.about,
  };
  return `${JSON.stringify(model, jsonValue, 2)}\n`;
}
