/**
 * What `ndvm archive show N --export` writes is what the search has told of its front: programs that it
 * made smaller, constants that it takes as exact, and the others fitted to all rows.
 */

import { join } from "node:path";
import { Machine, Random } from "@ndvm/core";
import { type FrontMember, openArchive, type Proposal, replay, search } from "@ndvm/search";
import { describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder } from "./run.js";

const seed = Number(process.env["SEED"] ?? 20261119);

const programs: readonly Proposal[] = [
  "a",
  "(+ a (* b x))",
  "(+ (* b (log (+ a x))) c)",
  "(+ a (* b x) (* c (log (+ d x))))",
  "(+ (* a (exp (* b x))) c)",
].flatMap((source) =>
  // Twice, from other starts: a candidate with several visits.
  [1, 0.3].map((a, turn) => ({
    ...{ source, parents: [], origin: "read", isRevisit: turn > 0, params: { a: { start: a } } },
  })),
);

async function study(name: string, draws: Random) {
  const x = Array.from({ length: 40 }, (_, i) => 0.3 * i);
  const y = x.map((at) => Math.log(2 + at) + 0.03 * draws.normal());
  const archive = join(folder, name);
  const given = { data: { x, y }, target: "y", workers: 0, archive, seed: draws.uniform() * 1e6 };
  let front: readonly FrontMember[] = [];
  for await (const event of search({
    ...{ ...given, seed: Math.floor(given.seed) },
    proposers: [replay([...programs], { cycles: 2 })],
  }))
    if (event.type === "done") front = event.front;
  return { x, front, archive };
}

describe(`an export of a candidate (SEED=${seed})`, () => {
  test("was the fit of the training rows alone; it is the member that the search has told of", async () => {
    const draws = new Random(seed);
    const machine = await Machine.create();
    const kinds = { simple: 0, smaller: 0, revisited: 0 };
    for (const name of ["exported-1.db", "exported-2.db", "exported-3.db"]) {
      const { x, front, archive } = await study(name, draws);
      const reader = openArchive(archive);
      expect(front.length).toBeGreaterThan(1);
      for (const { id, source, params, simple } of front) {
        const visits = reader.visitsOf(id);
        if (simple.length > 0) kinds.simple += 1;
        if (source !== visits[0]?.source) kinds.smaller += 1;
        if (visits.length > 1) kinds.revisited += 1;
        const show = ["archive", "show", name, String(id), "--export"];
        const asJson = JSON.parse((await ndvmHere([...show, "json"])).stdout);
        expect([asJson.source, asJson.params]).toEqual([source, params]);
        const { stdout, stderr } = await ndvmHere([...show, "javascript"]);
        expect(stderr).toMatch(/^the model is that of the front: visit \d+, its constants fitted/);
        const model = new Function(`${stdout}; return model;`)() as (of: object) => number;
        const program = machine.load(source, { inputs: ["x"] });
        const { values } = program.evaluate({ ...params, x: Float64Array.from(x) });
        program.dispose();
        for (const [i, at] of x.entries())
          expect(model({ x: at })).toBeCloseTo((values[i] ?? values[0]) as number, 12);
      }
      reader.close();
    }
    machine.dispose();
    for (const count of Object.values(kinds))
      expect(count, JSON.stringify(kinds)).toBeGreaterThan(0);
  });
});
