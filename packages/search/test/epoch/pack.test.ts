/**
 * What travels between a pool and its workers arrives as it was sent.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EpochCandidate, EpochJob } from "../../src/epoch/job.js";
import { packEpoch, unpackEpoch } from "../../src/epoch/pack.js";
import { emptyResult } from "../../src/pipeline/task.js";

const seed = Number(process.env["SEED"] ?? 20261116);

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const name = fc.oneof(fc.string(), fc.constantFrom("a", "b", "__proto__", "1", "constructor"));
const numbers = fc.uniqueArray(
  fc.tuple(name, fc.oneof(fc.constant(-0), fc.double({ noDefaultInfinity: true }))),
  {
    selector: ([key]) => key,
    maxLength: 5,
  },
);
const failure = fc.record({
  stage: fc.constantFrom("parse" as const, "screen" as const, "fit" as const, "score" as const),
  code: fc.string(),
  message: fc.string(),
});
const result = fc
  .tuple(
    ...([fc.nat(9), fc.nat(99), numbers, fc.option(failure, { nil: undefined })] as const),
    fc.record({ loss: fc.double(), trainR2: fc.double(), r2: fc.double(), bic: fc.double() }),
    fc.record({
      ...{ screen: fc.double(), walk: fc.double(), fit: fc.double() },
      ...{ replay: fc.double(), score: fc.double() },
    }),
  )
  .map(([rung, fits, params, failed, scores, timing]) => ({
    ...emptyResult({ visit: 0, rung }),
    ...scores,
    fits,
    timing,
    params: Object.assign(Object.create(null), Object.fromEntries(params)) as Record<
      string,
      number
    >,
    failure: failed,
  }));
const candidate: fc.Arbitrary<EpochCandidate> = fc.record({
  proposal: fc.record({
    source: fc.string(),
    parents: fc.array(fc.nat()),
    origin: fc.string(),
    isRevisit: fc.boolean(),
  }),
  skeleton: fc.string(),
  high: word,
  low: word,
  complexity: fc.nat(99),
  failure: fc.option(failure, { nil: undefined }),
  isDuplicate: fc.boolean(),
  results: fc.array(result, { maxLength: 3 }),
});

describe(`epochs that travel (SEED=${seed})`, () => {
  test.each([true, false])("arrive as they were sent, bred: %s", (isBred) => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 5 }), (candidates) => {
        const proposals = isBred ? undefined : candidates.map(({ proposal }) => proposal);
        const size = candidates.length;
        const job: EpochJob = {
          ...{ round: 3, slot: 2, place: 0, version: 1, lost: [] },
          size,
          proposals,
        };
        const sent = { round: 3, slot: 2, breeding: 0.5, reading: 0.25, candidates };
        const arrived = unpackEpoch(structuredClone(packEpoch(sent, job)), job, 7);
        expect(arrived).toHaveLength(size);
        for (const [i, each] of arrived.entries()) {
          const { proposal, results, ...rest } = candidates[i] as EpochCandidate;
          expect(each).toMatchObject({ ...rest, source: proposal.source, origin: proposal.origin });
          expect(each.parents).toEqual(proposal.parents);
          expect(each.isRevisit).toBe(proposal.isRevisit);
          for (const [k, one] of each.results.entries()) {
            const { params, visit: _, ...all } = results[k] as (typeof results)[0];
            expect(one).toMatchObject({ ...all, worker: 7 });
            // But for the sign of a zero, which an archive does not know.
            expect(Object.entries(one.params)).toEqual(
              Object.entries(params).map(([key, value]) => [key, value === 0 ? 0 : value]),
            );
          }
        }
      }),
      { seed },
    );
  });
});

test("starts travel with what was bred, not with what was given, and each time arrives as it was", () => {
  const timing = { screen: 1, walk: 2, fit: 3, replay: 4, score: 5 };
  const params = { p0: { start: 1 } };
  const proposal = { source: "(* p0 x)", parents: [3], origin: "draw" };
  const known = { skeleton: "(* P0 x)", high: 1, low: 2, complexity: 3, failure: undefined };
  const results = [{ ...emptyResult({ visit: 0, rung: 0 }), timing }];
  const base = { round: 0, slot: 0, place: 0, version: 0, size: 2, lost: [] };
  const candidates = [proposal, { ...proposal, params }].map((each) => ({
    ...{ ...known, proposal: each, isDuplicate: false, results },
  }));
  const epoch = { round: 0, slot: 0, candidates, breeding: 0, reading: 0 };
  for (const proposals of [undefined, candidates.map((each) => each.proposal)]) {
    const job: EpochJob = { ...base, proposals };
    const packed = packEpoch(epoch, job);
    expect(packed.texts.includes(JSON.stringify(params))).toBe(proposals === undefined);
    const arrived = unpackEpoch(packed, job, 4);
    expect(arrived.map(({ starts }) => starts)).toEqual([null, JSON.stringify(params)]);
    for (const { results: all } of arrived) {
      const { screen, walk, fit, replay, score } = all[0]?.timing ?? emptyResult(job0).timing;
      expect({ screen, walk, fit, replay, score }).toEqual(timing);
      expect(all[0]?.worker).toBe(4);
    }
  }
});
const job0 = { visit: 0, rung: 0 };
