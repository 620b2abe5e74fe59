/**
 * The planter must find the bugs it claims to, plant the same ones again for the same seed, catch what a
 * test notices and report what none does, and leave the working tree alone.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { UsageError, wishOf } from "../mutate/arguments.js";
import { bugsByHand, placed } from "../mutate/by-hand.js";
import { linesOfDiff } from "../mutate/changes.js";
import { inTurns } from "../mutate/choose.js";
import { Compiler } from "../mutate/compiles.js";
import { readEquivalents, staleAmong } from "../mutate/equivalent.js";
import { identityOf, planted } from "../mutate/mutant.js";
import { mutantsOf } from "../mutate/plant.js";
import { rooms, sourcesOf, testsOf } from "../mutate/rooms.js";
import { candidatesOf, runRoom } from "../mutate/run.js";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Suites that no room has, or folders of them, and why. */
const OUTSIDE: readonly (readonly [place: string, reason: string])[] = [
  ["packages/core/test/browser/", "it needs a browser, which starts for each run"],
  ["packages/report/test/browser/", "it needs a browser, which starts for each run"],
  ["packages/search/test/browser/", "it needs a browser, which starts for each run"],
  ["packages/tables/test/browser/", "it needs a browser, which starts for each run"],
  ["packages/core/test/bench.test.ts", "it runs every benchmark, which takes minutes"],
  ["packages/core/test/fit/soak.test.ts", "it runs long, and looks at memory"],
  ["packages/cluster/test/soak.test.ts", "it runs long, and looks at memory"],
  ["packages/search/test/engine/soak.test.ts", "it runs long, and looks at memory"],
  ["packages/tables/test/memory.test.ts", "it looks at the memory of a process"],
  [
    "packages/core/test/corpus/",
    "without the results of others it is skipped, and notices nothing",
  ],
  ["packages/core/test/fit/dynamic.test.ts", "without the results of others it is skipped"],
  ["packages/core/test/fit/nile.test.ts", "without the results of others it is skipped"],
  ["packages/core/test/fit/nist.test.ts", "without the results of others it is skipped"],
  ["packages/core/test/fit/nls.test.ts", "without the results of others it is skipped"],
  ["packages/core/test/fit/state-space.test.ts", "without the results of others it is skipped"],
  [
    "packages/core/test/layouts.test.ts",
    "of files in which no bugs are planted: both sides read them",
  ],
  [
    "packages/core/test/reference.test.ts",
    "of the oracle of the tests, in which no bugs are planted",
  ],
  [
    "packages/core/test/bytecode/contract.test.ts",
    "it builds the machine anew from a page of docs",
  ],
  ["packages/cli/test/examples.test.ts", "whole processes of what other suites see in this one"],
  ["packages/cli/test/fit-process.test.ts", "whole processes, one with a million rows"],
  ["packages/cli/test/limits.test.ts", "it measures what processes take until their limits"],
  ["packages/cli/test/start.test.ts", "it runs `npm start`, a search of half a minute"],
];

/** All test files under a folder, from the root. */
const testsUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `${folder}/${file}`);

/** What a line becomes, by kind of bug. */
function variants(text: string, kind: string): string[] {
  return mutantsOf("a.ts", text)
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => planted(text, mutant));
}

describe("the planter", () => {
  test.each([
    ["boundary", "f(a < b);", ["f(a <= b);"]],
    ["arithmetic", "f(a + b);", ["f(a - b);"]],
    ["arithmetic", "f(`x` + b);", []],
    ["overwrite", "a += b;", ["a = b;"]],
    ["negated", "if (a) f();", ["if (!(a)) f();"]],
    ["negated", "f(a === b, !c);", ["f(a !== b, !c);", "f(a === b, c);"]],
    ["logic", "f(a && b);", ["f(a);", "f(b);", "f(a || b);"]],
    ["logic", "f(a ?? b);", ["f(b);"]],
    ["off by one", "f(a + 1);", ["f(a);", "f(a + 2);"]],
    ["off by one", "f(a.length);", ["f((a.length - 1));"]],
    ["off by one", "a.length = b;", []],
    ["sign", "f(-a);", ["f(a);"]],
    ["flag", "a = true;", ["a = false;"]],
    ["dropped", "reset();", [";"]],
    ["dropped", "assert(a > 0);", []],
    ["guard", "if (a) return;", [";"]],
    ["early", "function f(): void { a(); b(); }", ["function f(): void { a(); return; b(); }"]],
    ["early", "while (a) { b(); }", ["while (a) { b(); break; }"]],
    ["argument", "f(a, b);", ["f(b, a);", "f(a, a);"]],
    ["argument", "v128.add<f64>(a, b);", ["v128.add<f64>(a, a);"]],
    ["entry", "f({ a: b, c });", ["f({ a: c, c: b });"]],
    ["entry", "f({ a: b, c: b });", []],
    ["argument", "f(a, a);", []],
    ["off by one", "f({ fuzz: [0, 1], edges: [2] });", []],
    ["member", "f(Op.Add, Op.Sub);", ["f(Op.Sub, Op.Sub);", "f(Op.Add, Op.Add);"]],
    ["method", "f(a.slice(1), Math.max(b, c));", ["f(a, Math.max(b, c));"]],
    ["copy", "f([...a]);", ["f(a);"]],
  ] as const)("%s: %s", (kind, text, expected) => {
    expect(variants(text, kind)).toEqual(expect.arrayContaining([...expected]));
    if (expected.length === 0) expect(variants(text, kind)).toEqual([]);
  });

  test("leaves types, imports and what a thrown error says alone", () => {
    const text = `import { a } from "b";\ntype T = 1 | 2;\nfunction f(): never { throw new E(1 + 2); }`;
    expect(mutantsOf("a.ts", text)).toEqual([]);
  });

  test("reads AssemblyScript as well", () => {
    const text = "export function f(at: usize): u32 { return load<u32>(at + 1, 4); }";
    const all = mutantsOf("a.ts", text).map((mutant) => planted(text, mutant));
    expect(all).toContain(text.replace("at + 1", "at - 1"));
    expect(all).toContain(text.replace("4)", "5)"));
  });

  test("takes the same bugs for the same seed, and each once", () => {
    const all = mutantsOf("a.ts", read("packages/core/src/syntax/number-text.ts"));
    expect(inTurns(all, 5)).toEqual(inTurns(all, 5));
    expect(inTurns(all, 5)).not.toEqual(inTurns(all, 6));
    expect(new Set(inTurns(all, 5)).size).toBe(all.length);
    const kinds = new Set(all.map(({ kind }) => kind));
    const first = inTurns(all, 5).slice(0, kinds.size);
    expect(new Set(first.map(({ kind }) => kind))).toEqual(kinds);
  });
});

describe("bugs by hand", () => {
  const bug = { file: "a.ts", before: "b < c", after: "b <= c" };

  test("are found by what stands in their file once", () => {
    const text = "f(a);\n  if (b < c) g();\n";
    const mutant = placed(text, bug);
    expect(mutant).toMatchObject({ line: 2, lineText: "if (b < c) g();", kind: "by hand" });
    expect(planted(text, mutant)).toBe("f(a);\n  if (b <= c) g();\n");
  });

  test.each([
    ["", "b < c"],
    ["b < c; b < c", "b < c"],
    ["b < c", ""],
  ])("in %j %j is refused", (text, before) => {
    expect(() => placed(text, { ...bug, before })).toThrow(UsageError);
  });

  test("that change nothing are refused", () => {
    expect(() => placed("b < c", { ...bug, after: "b < c" })).toThrow(UsageError);
  });

  test("are planted in the rooms that their files belong to", () => {
    const folder = mkdtempSync(join(tmpdir(), "ndvm-by-hand-"));
    const list = join(folder, "bugs.json");
    const file = "packages/core/src/nearest.ts";
    writeFileSync(list, JSON.stringify([{ file, before: "export function", after: "function" }]));
    const byHand = bugsByHand(root, list);
    rmSync(folder, { recursive: true });
    const settings = { root, seed: 1, covers: () => true, byHand };
    const holders = rooms.filter((room) => candidatesOf({ ...settings, room }).length > 0);
    expect(holders.map(({ name }) => name)).toEqual(["syntax"]);
    expect(wishOf(["all", "--from", list]).count).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("what is asked for", () => {
  test("lines of a change are those that its diff adds", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1,2 @@\n-a\n+b\n+c\n@@ -9,2 +10,0 @@\n-d\n-e\n";
    expect([...linesOfDiff(diff)]).toEqual([["x.ts", new Set([1, 2])]]);
  });

  test.each([
    [[]],
    [["nowhere"]],
    [["syntax", "program"]],
    [["syntax", "--count", "few"]],
    [["syntax", "--least", "2"]],
    [["syntax", "--unknown"]],
  ])("%j is refused with a reason", (args) => {
    expect(() => wishOf(args)).toThrow(UsageError);
  });

  test("every room has sources and test files that exist", () => {
    for (const room of rooms) {
      expect(sourcesOf(root, room), room.name).not.toEqual([]);
      expect(testsOf(root, room), room.name).not.toEqual([]);
      for (const file of testsOf(root, room)) expect(read(file), file).not.toBe("");
    }
  });

  test("suites of packages were in no room, so that nobody asked them about a bug", () => {
    const isOutside = (file: string) => OUTSIDE.some(([place]) => file.startsWith(place));
    const held = new Set(rooms.flatMap((room) => testsOf(root, room)));
    const all = readdirSync(join(root, "packages")).flatMap((name) =>
      testsUnder(`packages/${name}/test`),
    );
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter((file) => !held.has(file) && !isOutside(file))).toEqual([]);
    for (const [place, reason] of OUTSIDE) {
      const files = all.filter((file) => file.startsWith(place));
      expect(files, place).not.toEqual([]);
      // Who is in a room by now is no exception.
      expect(
        files.filter((file) => held.has(file)),
        place,
      ).toEqual([]);
      expect(reason.length, place).toBeGreaterThan(15);
    }
  });

  test("no file belongs to two rooms", () => {
    const files = rooms.flatMap((room) => sourcesOf(root, room));
    expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
  });

  test("every mutant listed as equivalent is still there, with a reason", () => {
    const entries = readEquivalents(root);
    expect(staleAmong(root, entries)).toEqual([]);
    for (const { file, reason } of entries) expect(reason.length, file).toBeGreaterThan(20);
    expect(new Set(entries.map(identityOf)).size).toBe(entries.length);
  });
});

describe("a run", () => {
  const plant = (sources: string, only: string, tests: readonly string[]) =>
    runRoom({
      root,
      room: { name: "sample", sources: [sources], tests },
      tests,
      ...{ count: 1, seed: 1, jobs: 1, until: Number.POSITIVE_INFINITY },
      covers: ({ kind, lineText }) => `${kind}: ${lineText}`.includes(only),
      equivalents: [],
      print: () => {},
      open: new Set(),
    });

  test("catches a bug that a test notices, and leaves the sources alone", async () => {
    const file = "packages/core/src/syntax/number-text.ts";
    const text = read(file);
    const only = 'guard: if (Object.is(value, -0)) return "-0.0";';
    const tests = ["packages/core/test/printer.test.ts"];
    expect(await plant(file, only, tests)).toMatchObject({ planted: 1, caught: 1, survivors: [] });
    expect(read(file)).toBe(text);
  });

  test("reports a bug that no test notices", async () => {
    const file = "packages/core/src/nearest.ts";
    const { survivors, ...rest } = await plant(file, "boundary", [
      "packages/core/test/reader.test.ts",
    ]);
    expect(rest).toMatchObject({ planted: 1, caught: 0, share: 0 });
    expect(survivors[0]).toMatchObject({ file, kind: "boundary" });
  });

  test("builds a machine with the bug in it", async () => {
    const file = "packages/core/wasm/primitives/integer.ts";
    const tests = ["packages/core/test/machine/integers.test.ts"];
    expect(await plant(file, "negated", tests)).toMatchObject({ planted: 1, caught: 1 });
  });

  test("has no count of what TypeScript refuses", () => {
    const file = "packages/core/src/syntax/number-text.ts";
    const all = mutantsOf(file, read(file));
    const compiler = new Compiler(root);
    const refused = all.filter(({ lineText, kind }) => {
      return kind === "guard" && lineText.startsWith("if (at < text.length");
    });
    expect(refused.map((mutant) => compiler.accepts(mutant))).toEqual([true]);
    const broken = { ...(all[0] as (typeof all)[number]), after: '"text" * 2' };
    expect(compiler.accepts(broken)).toBe(false);
  });
});
