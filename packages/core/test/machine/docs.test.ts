/**
 * The examples of the documentation: every ```scheme block of docs/ and the README is run.
 *
 * An expression that ends its line with `; => text` must print so (a text ending in … is the start
 * of it); with `; error CODE` it must fail so. It sees the definitions above it in its block.
 * `; given a = 2, t = 1` at the start of a line sets the inputs of the expressions below.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Datum, Machine, read } from "../../src/index.js";
import { caught } from "./support.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))];

interface Example {
  readonly title: string;
  readonly source: string;
  readonly inputs: Readonly<Record<string, number>>;
  readonly value: string | undefined;
  readonly error: string | undefined;
}

const isDefinition = (datum: Datum): boolean =>
  datum.kind === "list" && datum.items[0]?.kind === "symbol" && datum.items[0].name === "define";

function inputsOf(text: string): Record<string, number> {
  const given = [...text.matchAll(/^; given (.*)$/gm)].at(-1)?.[1] ?? "";
  const pairs = given.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value] = pair.split("=").map((part) => part.trim());
      return [name, Number(value)];
    }),
  );
}

/** Line of an offset, counted from 1. */
const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function examplesOf(block: string, page: string, line: number): Example[] {
  let definitions = "";
  const examples: Example[] = [];
  for (const datum of read(block)) {
    const { start, end } = datum.span;
    const text = block.slice(start, end);
    const remark = /^[^\n]*/.exec(block.slice(end))?.[0] ?? "";
    const value = /;\s*=>\s*(.*?)\s*$/.exec(remark)?.[1];
    const error = /;\s*error\s+(\S+)/.exec(remark)?.[1];
    if (value !== undefined || error !== undefined) {
      const title = `${page}:${line + lineAt(block, start)} ${text.replaceAll(/\s+/g, " ")}`;
      const inputs = inputsOf(block.slice(0, start));
      examples.push({ title, source: `${definitions}${text}`, inputs, value, error });
    }
    if (isDefinition(datum)) definitions += `${text}\n`;
  }
  return examples;
}

function blocksOf(page: string): { readonly line: number; readonly block: string }[] {
  const file = join(root, page);
  if (!page.endsWith(".md") || !existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^```scheme\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: lineAt(text, match.index),
    block: match[1] ?? "",
  }));
}

function run(machine: Machine, { source, inputs }: Example): string {
  const program = machine.load(source);
  const used = Object.entries(inputs).filter(([name]) => program.inputs.includes(name));
  return program.evaluate(Object.fromEntries(used), { stepsMax: 1e7 }).print();
}

describe.each(pages.filter((page) => blocksOf(page).length > 0))("%s", (page) => {
  const blocks = blocksOf(page).map(({ line, block }) => ({
    line,
    examples: examplesOf(block, page, line),
  }));

  test("says in every block what comes out", () => {
    expect(blocks.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });

  test.each(blocks.flatMap(({ examples }) => examples))("$title", async (example) => {
    const machine = await Machine.create({ memoryMax: 32 * 2 ** 20 });
    if (example.error !== undefined) {
      expect(caught(() => run(machine, example)).code).toBe(example.error);
      return;
    }
    const expected = example.value ?? "";
    const printed = run(machine, example);
    if (expected.endsWith("…")) expect(printed.startsWith(expected.slice(0, -1))).toBe(true);
    else expect(printed).toBe(expected);
  });
});

test("the language reference is among the pages", () => {
  expect(blocksOf("docs/language.md").length).toBeGreaterThan(8);
});
