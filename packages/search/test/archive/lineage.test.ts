/** Ancestors in an archive that does not keep all candidates, against a walk over what the study told. */

import { Random } from "@ndvm/core";
import { expect, test } from "vitest";
import type { Keep, Outcome } from "../../src/index.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { reading, rungs } from "./support.js";

const SHAPES = ["sin", "cos", "tanh", "exp", "abs"];

/** A third of these fail, and each has up to three ancestors among those before it. */
function family(count: number, seed: number) {
  const draws = new Random(seed);
  return Array.from({ length: count }, (_, id) => {
    const shape = SHAPES[id % SHAPES.length];
    const powers = " x".repeat(1 + Math.floor(id / SHAPES.length));
    const source =
      draws.uniform() < 1 / 3 ? `(car (+ ${id} x))` : `(+ a (${shape} (* b${powers})))`;
    const parents = Array.from({ length: Math.min(id, 3) }, () => Math.floor(id * draws.uniform()));
    return { source, parents: [...new Set(parents)], origin: "made" };
  });
}

/** Itself, its parents, theirs and so on, as far as whoever names them is kept. */
function ancestors(id: number, kept: ReadonlyMap<number, Outcome>): readonly number[] {
  const found: number[] = [];
  for (let generation = [id]; generation.length > 0; ) {
    const next: number[] = [];
    for (const one of generation) {
      if (found.includes(one) || !kept.has(one)) continue;
      found.push(one);
      next.push(...(kept.get(one)?.parents ?? []));
    }
    generation = next;
  }
  return found;
}

test.each<[Keep, number]>([
  ["all", 1],
  ["scored", 1],
  ["scored", 2],
  ["front", 3],
])("a lineage goes on past ancestors that are not kept: keep %s, seed %s", async (keep, seed) => {
  const archive = freshFile();
  const proposals = family(40, seed);
  const { outcomes } = await run({
    ...{ data: line, target: "y", workers: 0, epoch: 10, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive, keep, proposers: [list(proposals)] },
  });
  expect(outcomes.map(({ id, parents }) => [id, parents])).toEqual(
    proposals.map(({ parents }, id) => [id, parents]),
  );
  let pastGaps = 0;
  reading(archive, (opened) => {
    const kept = new Map([...opened.outcomes()].map((outcome) => [outcome.id, outcome]));
    expect(kept.size < outcomes.length).toBe(keep !== "all");
    for (const { id } of outcomes) {
      const found = opened.lineage(id);
      expect(
        found.map((one) => one.id),
        `of ${id}`,
      ).toEqual(ancestors(id, kept));
      for (const one of found) expect(one).toEqual(kept.get(one.id));
      if (found.some(({ parents }) => parents.some((parent) => !kept.has(parent)))) pastGaps += 1;
    }
  });
  expect(pastGaps > 0).toBe(keep !== "all");
});
