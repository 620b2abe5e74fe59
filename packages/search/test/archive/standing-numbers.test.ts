/**
 * Numbers of a study's state that the rows of its archive say a second time: whichever of them is another,
 * alone or together, with a checksum that belongs to it, nobody goes on from there.
 */

import { beforeAll, expect, test } from "vitest";
import { checksumOf } from "../../src/archive/checksum.js";
import { openDatabase } from "../../src/archive/driver.js";
import { checkArchive, evolve } from "../../src/index.js";
import { line } from "../engine/data.js";
import { Echo, freshFile, list, run } from "../engine/support.js";
import { copyOf, rungs, sql } from "./support.js";

type Path = readonly (string | number)[];
interface Tree {
  [key: string]: unknown;
}

let file = "";
let state: Tree = {};
beforeAll(async () => {
  file = freshFile();
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 2, lag: 2, seed: 5 },
    ...{ recipe: { rungs }, archive: file, budget: { candidates: 44 } },
    proposers: [evolve(), list(["(* a x)", "(car x)", "(+ a x)"]), new Echo()],
  });
  const [[text] = []] = sql(file, "SELECT CAST(state AS TEXT) FROM state WHERE one = 1");
  state = JSON.parse(String(text));
});

/** The archive with other numbers at some places of its state. */
function forged(changes: readonly (readonly [Path, number])[]): string {
  const copy = copyOf(file);
  const changed = structuredClone(state);
  for (const [path, by] of changes) {
    const name = path.at(-1) as string;
    const part = path.slice(0, -1).reduce<Tree>((at, each) => at[each] as Tree, changed);
    expect(typeof part[name], path.join(".")).toBe("number");
    part[name] = (part[name] as number) + by;
  }
  const text = JSON.stringify(changed);
  const database = openDatabase(copy);
  database
    .prepare("UPDATE state SET state = ?, checksum = ? WHERE one = 1")
    .run([text, checksumOf("state", [1, text])]);
  database.close();
  return copy;
}

const BY = [-5, -1, 1, 5];

/** Places whose numbers follow from the rows. */
function bound(): readonly Path[] {
  const versions = state["versions"] as readonly unknown[];
  return [
    ["nextVisit"],
    ["counts", "candidates"],
    ["observed"],
    ["nextRound"],
    ...versions.flatMap((_, i): Path[] => [
      ["versions", i, "version"],
      ["versions", i, "digests"],
      ["versions", i, "counts", "candidates"],
    ]),
    ...(state["rounds"] as readonly unknown[]).map((_, i): Path => ["rounds", i, "round"]),
  ];
}

test("the state as it was written can be gone on from", () => {
  const same = forged([[["nextVisit"], 0]]);
  expect(checkArchive(same)).toMatchObject({ isIntact: true, canResume: true, problems: [] });
  expect(bound().length).toBeGreaterThan(6);
});

test("one number that is another", () => {
  for (const path of bound())
    for (const by of BY)
      expect(checkArchive(forged([[path, by]])).canResume, `${path.join(".")} ${by}`).toBe(false);
});

test("two that say the same, each by as much as the other or not", () => {
  const last = (state["versions"] as readonly unknown[]).length - 1;
  const same: readonly (readonly [Path, Path])[] = [
    [["nextVisit"], ["counts", "candidates"]],
    [
      ["counts", "candidates"],
      ["versions", last, "counts", "candidates"],
    ],
    [["observed"], ["nextRound"]],
  ];
  for (const [one, other] of same)
    for (const by of BY)
      for (const also of BY) {
        const what = `${one.join(".")} ${by}, ${other.join(".")} ${also}`;
        expect(
          checkArchive(
            forged([
              [one, by],
              [other, also],
            ]),
          ).canResume,
          what,
        ).toBe(false);
      }
});
