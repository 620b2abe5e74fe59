/**
 * Small studies, candidate by candidate, as they were when somebody last looked at them. A study is a
 * function of its options and its seed, so nothing in here changes unless someone means it to: then
 * renew with `npx vitest run --project search packages/search/test/engine/studies -u`, and read the
 * difference. Numbers are rounded, so that an optimiser may take other steps to the same place.
 */

import { describe, expect, test } from "vitest";
import {
  evolve,
  openArchive,
  type Proposer,
  paperRecipe,
  replay,
  type SearchOptions,
} from "../../src/index.js";
import { line, oscillation } from "./data.js";
import { Echo, freshFile, list, run } from "./support.js";

const rounded = (value: number): string =>
  Number.isNaN(value) ? "-" : Math.abs(value) < 1e-9 ? "0" : String(Number(value.toPrecision(4)));

async function told(options: SearchOptions): Promise<string> {
  const file = freshFile();
  const { outcomes, done, events } = await run({ ...options, archive: file });
  const lines = outcomes.map((one) => {
    const { visit, id, round, slot, status, failure, duplicateOf, rung, fits, complexity } = one;
    const numbers = [one.loss, one.trainR2, one.r2, one.bic].map(rounded).join(" ");
    const why = failure === undefined ? "" : ` ${failure.stage} ${failure.code}`;
    const of = duplicateOf === undefined ? "" : ` of ${duplicateOf}`;
    const made = `${one.proposer}/${one.origin}${one.parents.length ? ` from ${one.parents}` : ""}`;
    return (
      `${visit}=${id} ${round}.${slot} ${made} ${status}${of}${why} ` +
      `rung ${rung} fits ${fits} size ${complexity}: ${one.skeleton} | ${numbers}`
    );
  });
  const front = done.front.map((member) => {
    const constants = Object.entries(member.params)
      .map(([name, value]) => `${name} ${rounded(value)}`)
      .join(" ");
    const { data, constants: cost, symbols, gaps } = member.parts;
    const bits = [member.length, data, cost, symbols, gaps].map((b) => b.toFixed(0)).join(" ");
    return (
      `front: ${member.source} size ${member.complexity} bits ${bits} score ` +
      `${member.score.toFixed(2)} simple ${member.simple} open ${member.undetermined} ${constants}`
    );
  });
  const archive = openArchive(file);
  const { discoveries } = { discoveries: archive.discoveries().map(({ fits }) => fits) };
  archive.close();
  return [
    ...lines,
    ...front,
    `best ${done.best?.visit} choice ${done.choice?.visit} because ${done.why?.replace(/\d+\.\d/g, "n")}`,
    `stopped: ${done.stopped}; ${JSON.stringify(done.counts)}; discoveries ${discoveries}`,
    ...events.flatMap((event) => (event.type === "warning" ? [`warning: ${event.message}`] : [])),
    // How often progress is told is the clock's.
    `events: ${events.flatMap(({ type }) => (type === "progress" ? [] : [type[0]])).join("")}`,
  ].join("\n");
}

const base = { data: oscillation, target: "y", workers: 0, seed: 4 } as const;

describe("a study", () => {
  test("that is bred", async () => {
    const options = { ...base, epoch: 5, slots: 2, islands: 2, lag: 2, proposers: [evolve()] };
    expect(await told({ ...options, budget: { candidates: 60 } })).toMatchSnapshot();
  });

  test("that is bred small, of two inputs, in single precision", async () => {
    const x = Array.from({ length: 24 }, (_, i) => 1 + ((i * 7) % 24) / 6);
    const w = Array.from({ length: 24 }, (_, i) => 2 - ((i * 5) % 24) / 9);
    const data = { x, w, y: x.map((at, i) => at * (w[i] as number) + 1) };
    const options: SearchOptions = {
      ...{ ...base, data, precision: "f32", operators: ["+", "*", "sin", "if", "let", "loop"] },
      ...{ epoch: 4, slots: 2, complexityMax: 12, proposers: [evolve({ islandSize: 5 })] },
    };
    expect(await told({ ...options, budget: { candidates: 48 } })).toMatchSnapshot();
  });

  test("of three proposers, one of which comes again and again", async () => {
    const given: Proposer[] = [
      new Echo(),
      replay([{ source: "(* a x)" }, { source: "(+ a (* b x))" }], { cycles: 9 }),
      list(["(+ 1", "(exp (* a x))", "(car x)", "(* b x)"]),
    ];
    const options = { ...base, data: line, epoch: 4, slots: 1, lag: 1, proposers: given };
    expect(await told({ ...options, budget: { candidates: 50 } })).toMatchSnapshot();
  });

  test("by the recipe of the paper, with clamped domains", async () => {
    const sources = ["(sqrt (+ a (* b x)))", "(log (* a x))", "(/ a (+ b x))"];
    const options: SearchOptions = {
      ...{ ...base, recipe: paperRecipe, domain: "clamp", holdOut: [0, 5, 10, 15, 20, 25, 30, 35] },
      proposers: [
        replay(
          sources.map((source) => ({ source })),
          { cycles: 3 },
        ),
      ],
    };
    expect(await told(options)).toMatchSnapshot();
  });
});
