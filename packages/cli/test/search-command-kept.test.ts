/**
 * The command that a study keeps: what was typed, in any order of its options, with addresses that hold no
 * secret and without those that nobody asked. Typed again it asks for the same search.
 */

import { join } from "node:path";
import { openArchive } from "@ndvm/search";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const opened: unknown[] = [];
vi.mock("@ndvm/cluster", () => ({
  openCluster: (options: unknown) => {
    opened.push(options);
    return { hooks: () => ({}) };
  },
}));

beforeAll(() => {
  const lines = Array.from({ length: 12 }, (_, x) => `${x},${3 * x + (x % 3)}`);
  writeFile("line.csv", `x,y\n${lines.join("\n")}\n`);
  const programs = ["(* a x)", "(+ a (* b x))"].map((source) => JSON.stringify({ source }));
  writeFile("programs.jsonl", `${programs.join("\n")}\n`);
});
afterEach(() => {
  opened.length = 0;
});

/** An option as it is typed, and as it is kept. */
interface Part {
  readonly typed: readonly string[];
  readonly kept: readonly string[];
  /** The address of a cluster that is asked. */
  readonly url?: string | undefined;
}

const same = (...typed: string[]): Part => ({ typed, kept: typed });

const CLUSTERS: readonly Part[] = [
  { ...same("--cluster"), url: undefined },
  { ...same("--cluster", "redis://h:1"), url: "redis://h:1" },
  {
    typed: ["--cluster", "rediss://u:pass@h:1/"],
    kept: ["--cluster", "rediss://h:1"],
    url: "rediss://u:pass@h:1/",
  },
  {
    typed: ["--cluster=redis://:pass@h/2?k=secret"],
    kept: ["--cluster", "redis://h/2"],
    url: "redis://:pass@h/2?k=secret",
  },
];

/** No language model is asked, so its address is left out. */
const ADDRESSES: readonly Part[] = [
  { typed: ["--base-url", "https://me:pass@h/v1"], kept: [] },
  { typed: ["--base-url=https://h/v1?key=pass"], kept: [] },
];

const SEED = same("--seed", "3");
const TEXT = { typed: ["--describe", "it's a line"], kept: ["--describe", "'it'\\''s a line'"] };

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, at) =>
    ordersOf(items.filter((_, other) => other !== at)).map((rest) => [first, ...rest]),
  );
}

let made = 0;
async function keptOf(parts: readonly Part[]) {
  const out = `study-${made++}.db`;
  const base = ["--data", "line.csv", "--target", "y", "--proposer", "replay:programs.jsonl"];
  const more = ["--workers", "0", "--candidates", "2", "--quiet", "--out", out];
  const words = ["search", ...base, ...more];
  const outcome = await ndvmHere([...words, ...parts.flatMap(({ typed }) => typed)]);
  expect(outcome.code, outcome.stderr).toBe(0);
  const archive = openArchive(join(folder, out));
  try {
    const commands = archive.runs().map(({ command }) => command);
    return { commands, wanted: ["ndvm", ...words, ...parts.flatMap(({ kept }) => kept)].join(" ") };
  } finally {
    archive.close();
  }
}

test.each(CLUSTERS.map((cluster) => [cluster.typed.join(" "), cluster] as const))(
  "%s stands in the kept command as it may, wherever it stood",
  async (_, cluster) => {
    for (const [turn, parts] of ordersOf([cluster, SEED, TEXT]).entries()) {
      const address = ADDRESSES[turn % ADDRESSES.length] as Part;
      const all = turn % 3 === 0 ? parts : parts.toSpliced(turn % 4, 0, address);
      opened.length = 0;
      const { commands, wanted } = await keptOf(all);
      expect(commands).toEqual([wanted]);
      expect(commands[0]).not.toMatch(/pass|secret/);
      expect(opened).toEqual([{ url: cluster.url, namespace: undefined }]);
    }
  },
);

test("an address of a language model that is asked by nobody leaves all else as it was", async () => {
  for (const address of ADDRESSES)
    for (const parts of ordersOf([address, SEED])) {
      const { commands, wanted } = await keptOf(parts);
      expect(commands).toEqual([wanted]);
      expect(opened).toEqual([]);
    }
});
