/** The commands in the examples' README run as they stand and reach the answers of the tests. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { examples } from "../../core/test/examples/cases.js";
import { ndvmHere } from "./here.js";
import { repository } from "./run.js";

/** Commands that go on after a backslash are one line. */
const index = readFileSync(join(repository, "examples/README.md"), "utf8").replace(/ \\\n +/g, " ");

/** Words of the command of an example, its files by their whole paths. */
function commandOf(name: string): readonly string[] {
  const line = index
    .split("\n")
    .find((each) => each.includes(`ndvm fit examples/${name}/model.scm`));
  const [, , ...words] = line?.trim().split(" ") ?? [];
  return words.map((word) => (word.startsWith("examples/") ? join(repository, word) : word));
}

describe("ndvm fit of the examples", () => {
  test.each(examples)("$name", async ({ name, options, answer, truth = {}, loss }) => {
    const { code, stdout, stderr } = await ndvmHere([...commandOf(name), "--json"]);
    expect(stderr).not.toContain("error");
    // Adam's steps are counted: it ends by their number, and says so with its exit code.
    expect(code).toBe(options.optimiser === "adam" ? 3 : 0);
    const { best, intervals } = JSON.parse(stdout) as {
      readonly best: { readonly params: Readonly<Record<string, number>>; readonly loss: number };
      readonly intervals: Readonly<Record<string, readonly [number, number]>>;
    };
    for (const [parameter, [value, error]] of Object.entries(answer))
      expect(Math.abs((best.params[parameter] as number) - value), parameter).toBeLessThan(error);
    for (const [parameter, value] of Object.entries(truth)) {
      const [low, high] = intervals[parameter] as readonly [number, number];
      expect(low < value && value < high, `${parameter} from ${low} to ${high}`).toBe(true);
    }
    if (loss !== undefined) expect(Math.abs(best.loss - loss[0])).toBeLessThanOrEqual(loss[1]);
  });

  test("a column that only a comment names is not read by the program", async () => {
    const words = commandOf("enzyme-kinetics");
    const source = readFileSync(words[1] as string, "utf8");
    expect(source).toMatch(/^;.*\brate\b/m);
    const { code } = await ndvmHere([...words, "--quiet"]);
    expect(code).toBe(0);
  });
});
