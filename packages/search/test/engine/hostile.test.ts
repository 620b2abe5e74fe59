/**
 * Programs that mean harm, in the stream of those that do not.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { EpochRunner } from "../../src/epoch/epoch.js";
import { Reader } from "../../src/epoch/reading.js";
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

  test("what the text alone shows is never loaded into a machine", async () => {
    const seen = /^E-(ENDLESS|LENGTH|SYNTAX|FORM|UNBOUND|PARAMETERS)$/;
    const refused = kinds.filter(({ codes }) => codes.every((code) => seen.test(code)));
    const proposals = refused
      .flatMap(({ make }) => [make(1), make(2)])
      .map((source) => ({ source, parents: [], origin: "given", isRevisit: true }));
    const study = makeStudy({ data: oscillation, target: "y" });
    const runner = await EpochRunner.create({ study, breedings: [null] });
    const nothing = { front: [], populations: [null] };
    runner.take({
      version: 0,
      from: -1,
      text: JSON.stringify(nothing),
      digests: new Uint32Array(),
    });
    const place = { round: 0, slot: 0, place: 0, version: 0, lost: [] };
    const loaded: string[] = [];
    const { candidates } = await runner.run(
      { ...place, size: proposals.length, proposals },
      { onCandidate: (_, source) => loaded.push(source) },
    );
    runner.dispose();
    expect(refused.length).toBeGreaterThan(8);
    expect(loaded).toEqual([]);
    expect(candidates.filter(({ failure }) => failure === undefined)).toEqual([]);
  });

  test("texts that are too long do not stay in memory", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const reader = new Reader(makeStudy({ data: oscillation, target: "y" }));
    const kept: unknown[] = [];
    const take = (k: number) => {
      const reading = reader.readAgain(Buffer.from(megabyte.make(k)).toString());
      expect(reading.failure?.code).toBe("E-LENGTH");
      kept.push(reading);
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
