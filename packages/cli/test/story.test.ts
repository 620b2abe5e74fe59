/** What is told of failures on the page of a study, the way that explain goes, losses that read any column. */

import { join } from "node:path";
import { openArchive } from "@ndvm/search";
import { expect, test } from "vitest";
import { storyOf } from "../src/search/study-story.js";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

test("failures are told by kind, the most frequent first, each with its first candidate", async () => {
  const rows = Array.from({ length: 16 }, (_, i) => `${i},${2 * i + 1}`);
  writeFile("f.csv", `x,y\n${rows.join("\n")}\n`);
  const sources = ["(+ 1", "(* 2", "(+ a (* b x))", "(cdr x)", "(car 1)", "(car x)"];
  writeFile("f.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
  const study = ["search", "--data", "f.csv", "--target", "y", "--workers", "0"];
  await ndvmHere([...study, "--proposer", "replay:f.jsonl", "--out", "f.db"]);
  const archive = openArchive(join(folder, "f.db"));
  const { failures, front, chosen, target, inputs, train, heldOut } = storyOf(archive);
  const outcomes = [...archive.outcomes()];
  archive.close();
  // A second time, plainly: by code, in the order of the candidates.
  const byCode = new Map<string, { source: string; message: string; count: number }>();
  for (const { failure, source } of outcomes) {
    if (failure === undefined) continue;
    const known = byCode.get(failure.code) ?? { source, message: failure.message, count: 0 };
    byCode.set(failure.code, { ...known, count: known.count + 1 });
  }
  expect([...byCode.values()].map(({ count }) => count).sort()).toEqual([2, 3]);
  expect(failures).toEqual(
    [...byCode]
      .map(([code, { count, source, message }]) => ({ code, count, source, message }))
      .sort((a, b) => b.count - a.count),
  );
  expect([target, inputs, chosen]).toEqual(["y", ["x"], front.find((one) => one === chosen)]);
  expect((train["x"]?.length ?? 0) + (heldOut["x"]?.length ?? 0)).toBe(16);
});

test("the way of explain ends at the number that was given, to the last bit", async () => {
  // 0.4 + (8 - 0.4) * 3 / 3 is less than 8.
  const way = ["--set", "a=0.4", "--to", "a=8", "--points", "3", "--format", "json"];
  const { stdout } = await ndvmHere(["explain", "-e", "(if (< a 8) 1 2)", ...way]);
  const { along } = JSON.parse(stdout).diagnostics;
  expect(along.flips).toHaveLength(1);
  expect(along.flips[0].to).toEqual({ a: 8 });
});

test("a loss reads a column that has the name of a procedure", async () => {
  writeFile("max.csv", "x,max,scale\n0,1,1\n1,3.2,1\n2,4.9,1\n3,7.1,4\n");
  const fit = ["fit", "-e", "(+ a (* b x))", "--data", "max.csv", "--target", "max", "--json"];
  const own = await ndvmHere([...fit, "--loss", "(* scale (square (- pred max)))"]);
  const weighed = await ndvmHere([...fit, "--weights", "scale"]);
  const paramsOf = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    expect(stderr).not.toContain("error");
    return JSON.parse(stdout).best.params as Record<string, number>;
  };
  for (const name of ["a", "b"])
    expect(paramsOf(own)[name]).toBeCloseTo(paramsOf(weighed)[name] as number, 4);
});
