/**
 * Programs that mean harm, in the stream of those that do not.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { Intake, PLAIN_ORIGIN } from "../../src/engine/intake.js";
import { openArchive, paperRecipe, replay } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";
import { oscillation } from "./data.js";
import { type HostileKind, nested, others, usual } from "./hostile-programs.js";
import { freshFile, run } from "./support.js";

const kinds = [...usual, ...others];
const megabyte = kinds.find(({ name }) => name === "a megabyte of text") as HostileKind;
const programsOf = (sources: readonly string[]) => sources.map((source) => ({ source }));

const good = programsOf([
  "(* a (exp (* b x)))",
  "(* a (exp (* b x)) (cos (+ (* c x) d)))",
  "(+ a (* b x) (* c x x))",
  "(* a (sin (+ (* b x) c)))",
]);

describe("hostile programs", () => {
  test.each(kinds)("$name ends as a failure with a code", async ({ codes, make }) => {
    const { outcomes } = await run({
      data: oscillation,
      target: "y",
      workers: 0,
      proposers: [replay([1, 2, 3].map((k) => ({ source: make(k) })))],
    });
    for (const { status, failure } of outcomes) {
      expect(status).toBe("failed");
      expect(codes).toContain(failure?.code);
    }
  });

  test("what the text alone shows never comes to a worker", async () => {
    const seen = /^E-(ENDLESS|LENGTH|SYNTAX|FORM|UNBOUND|PARAMETERS)$/;
    const refused = kinds.filter(({ codes }) => codes.every((code) => seen.test(code)));
    const sources = refused.flatMap(({ make }) => [make(1), make(2)]);
    const { done } = await run(
      { data: oscillation, target: "y", workers: 0, proposers: [replay(programsOf(sources))] },
      {
        startRunner: async (_study, _workers, events) => ({
          workers: 0,
          run(tasks) {
            if (tasks.length > 0) events.broken(new Error(`${tasks[0]?.source} came to a worker`));
          },
          async stop() {},
        }),
      },
    );
    expect(refused.length).toBeGreaterThan(8);
    expect(done.counts.failed).toBe(sources.length);
  });

  test("texts that are too long do not stay in memory", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const intake = new Intake(makeStudy({ data: oscillation, target: "y" }));
    const take = (k: number) => {
      const source = Buffer.from(megabyte.make(k)).toString();
      const proposal = { source, origin: PLAIN_ORIGIN, parents: [], isRevisit: true };
      expect(intake.take(proposal, k, () => false).failure?.code).toBe("E-LENGTH");
    };
    take(1);
    const before = used();
    for (let k = 2; k <= 41; k++) take(k);
    expect(used() - before).toBeLessThan(10e6);
  });

  test("one in nine costs no fit, and the good ones end as ever", async () => {
    const sources = programsOf(kinds.map(({ make }) => make(1)));
    const file = freshFile();
    const programs = sources.flatMap((bad) => [...good, bad, ...good]);
    const { outcomes } = await run({
      data: oscillation,
      target: "y",
      workers: 1,
      recipe: paperRecipe,
      archive: file,
      proposers: [replay(programs)],
    });
    const scored = outcomes.filter(({ status }) => status === "scored");
    expect(scored).toHaveLength(8 * sources.length);
    for (const { r2, fits } of scored) expect(Number.isFinite(r2) && fits === 1).toBe(true);
    const failed = outcomes.filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(sources.length);
    // Only the fit shows that a straight program is not finite.
    for (const { fits, failure } of failed) expect(fits).toBe(failure?.stage === "fit" ? 1 : 0);
    expect(failed.filter(({ fits }) => fits > 0)).toHaveLength(1);
    const archive = openArchive(file);
    const { screen, walk } = archive.timings();
    archive.close();
    expect(walk).toBeLessThanOrEqual(screen);
  });

  test("a deep but honest program is fitted", async () => {
    const source = nested(300, "(+ a ", "x", ")");
    const { outcomes } = await run({
      data: oscillation,
      target: "y",
      workers: 0,
      recipe: paperRecipe,
      proposers: [replay([{ source }])],
    });
    expect(outcomes[0]?.status).toBe("scored");
  });
});
