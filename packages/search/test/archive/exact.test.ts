/** A model that leaves nothing to explain: its scores are not finite, and an archive has them all the same. */
import { expect, test } from "vitest";
import { outcomeFromJson } from "../../src/archive/outcome-json.js";
import { openArchive } from "../../src/index.js";
import { freshFile, list, run } from "../engine/support.js";

async function study(programs: readonly string[]) {
  const x = Float64Array.from({ length: 40 }, (_, i) => i - 20);
  const file = freshFile();
  const { done, outcomes } = await run({
    data: { x, y: x.map((at) => 2 * at) },
    target: "y",
    workers: 0,
    archive: file,
    proposers: [list([...programs])],
  });
  return { done, outcomes, archive: openArchive(file) };
}

test("the front of a study with an exact model is the same when it is read again", async () => {
  const { done, archive } = await study(["(+ a (* b x))", "(sin (* a x))"]);
  const bics = [...archive.members().values()].map(({ scores }) => scores?.bic);
  expect(bics).toContain(Number.NEGATIVE_INFINITY);
  expect(archive.front()).toEqual(done.front);
  archive.close();
});

test("the outcome of an exact model is the same when it is read again, and when it was pending", async () => {
  const { outcomes, archive } = await study(["(* 2 x)", "(* x 2)", "(* a x)", "(car x)"]);
  expect(outcomes.map(({ status, bic }) => [status, bic])).toEqual([
    ["scored", Number.NEGATIVE_INFINITY],
    ["duplicate", Number.NaN],
    ["scored", expect.any(Number)],
    ["failed", Number.NaN],
  ]);
  expect([...archive.outcomes()]).toEqual(outcomes);
  const again = outcomes.map((each) => outcomeFromJson(JSON.parse(JSON.stringify(each))));
  expect(again).toEqual(outcomes);
  archive.close();
});
