/** A model that leaves nothing to explain: its scores are not finite, and an archive has them all the same. */
import { expect, test } from "vitest";
import { openArchive } from "../../src/index.js";
import { freshFile, list, run } from "../engine/support.js";

test("the front of a study with an exact model is the same when it is read again", async () => {
  const x = Float64Array.from({ length: 40 }, (_, i) => i - 20);
  const file = freshFile();
  const { done } = await run({
    data: { x, y: x.map((at) => 2 * at) },
    target: "y",
    workers: 0,
    archive: file,
    proposers: [list(["(+ a (* b x))", "(sin (* a x))"])],
  });
  const archive = openArchive(file);
  const bics = [...archive.members().values()].map(({ scores }) => scores?.bic);
  expect(bics).toContain(Number.NEGATIVE_INFINITY);
  expect(archive.front()).toEqual(done.front);
  archive.close();
});
