/**
 * Reads the .scm files of this folder: what a case runs, with which inputs and options, and what it
 * expects. `language.test.ts` describes the notation.
 */

import { int } from "../../src/index.js";
import type { Input } from "../../src/machine/types.js";
import { readNumber, readNumbers } from "../corpus/expected.js";
import { matrix, vector } from "../corpus/support.js";

export interface Setting {
  readonly inputs: ReadonlyMap<string, Input>;
  readonly options: ReadonlyMap<string, string>;
}

export interface LanguageCase {
  readonly line: number;
  readonly source: string;
  readonly setting: Setting;
  readonly expectation: string;
}

const optionNames = ["domain", "precision", "stepsMax", "tapeBytesMax", "memoryMax", "ask"];

function readInput(text: string): Input {
  if (text.startsWith("int ")) return int(Number(text.slice(4)));
  if (text.includes("|"))
    return text.split("|").map((part) => readNumber(part.trim()) ?? Number.NaN);
  if (text.startsWith("[[")) {
    const rows = [...text.slice(1, -1).matchAll(/\[[^\]]*\]/g)];
    return matrix(rows.map(([row]) => readNumbers(row)));
  }
  if (text.startsWith("[")) return vector(readNumbers(text));
  const value = readNumber(text);
  if (value === undefined) throw new Error(`cannot read the input ${text}`);
  return value;
}

function readSetting(text: string): Setting {
  const inputs = new Map<string, Input>();
  const options = new Map<string, string>();
  for (const part of text.trim() === "none" ? [] : text.split(",")) {
    const [, name, value] = /^\s*(\S+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined) throw new Error(`cannot read param ${part}`);
    if (optionNames.includes(name)) options.set(name, value);
    else inputs.set(name, readInput(value));
  }
  return { inputs, options };
}

export function readCases(text: string): readonly LanguageCase[] {
  const cases: LanguageCase[] = [];
  let setting = readSetting("none");
  let source: string[] = [];
  text.split("\n").forEach((line, index) => {
    const param = /^;\s*param\s+(.*)$/.exec(line);
    if (param?.[1] !== undefined) {
      setting = readSetting(param[1]);
      return;
    }
    const [, code, expectation] = /^(.*?);\s*((?:=>|error E-).*)$/.exec(line) ?? [];
    source.push(code ?? line);
    if (expectation === undefined) return;
    cases.push({ line: index + 1, source: source.join("\n"), setting, expectation });
    source = [];
  });
  const rest = source.filter((line) => line.trim() !== "" && !line.trim().startsWith(";"));
  if (rest.length > 0) throw new Error(`no expectation for ${rest.join("\n")}`);
  return cases;
}
