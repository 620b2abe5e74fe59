/**
 * Workers die; studies do not notice.
 */

import { NdvmError, Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { evolve } from "../../src/index.js";
import { Pool } from "../../src/pool/pool.js";
import type { SearchHooks } from "../../src/search.js";
import { line, oscillation } from "./data.js";
import { Echo, expectSame, exported, freshFile, list, run } from "./support.js";

const seed = Number(process.env["SEED"] ?? 20261115);
const kills = Number(process.env["NDVM_KILLS"] ?? 4);

const mortalCode = { url: new URL("./mortal-worker.mjs", import.meta.url) };

const mortal: SearchHooks = {
  startRunner: async (setting, workers, events) =>
    Pool.start(setting, workers, events, { code: mortalCode }),
};

const good = Array.from({ length: 20 }, (_, i) => `(+ a (* b (sin (* ${i + 1} x))))`);

describe("a worker that dies", () => {
  test("twice over one candidate costs that candidate, and no other", async () => {
    const sources = [...good.slice(0, 10), "(* poison x)", ...good.slice(10)];
    const { outcomes, events, done } = await run(
      { data: line, target: "y", workers: 2, proposers: [list(sources)] },
      mortal,
    );
    expect(outcomes).toHaveLength(21);
    expect(outcomes[10]).toMatchObject({ status: "failed", failure: { code: "E-WORKER" } });
    expect(outcomes.filter(({ status }) => status === "scored")).toHaveLength(20);
    expect(done.counts.workersReplaced).toBe(2);
    expect(events.filter(({ type }) => type === "worker")).toHaveLength(2);
  });

  test("once costs nothing: the candidate is tried again, the others go elsewhere", async () => {
    const sources = [...good, "(* flaky x)"];
    const options = { data: line, target: "y", workers: 2 } as const;
    const plain = await run({ ...options, proposers: [list(sources)] });
    const { outcomes, done } = await run(
      { ...options, proposers: [list(sources)], description: `flaky-${freshFile()}` },
      mortal,
    );
    expect(done.counts.workersReplaced).toBe(1);
    expect(outcomes).toEqual(plain.outcomes);
  });

  test("before it can work ends the search with a clear error", async () => {
    const stillborn: SearchHooks = {
      startRunner: async (setting, workers, events) =>
        Pool.start(setting, workers, events, {
          code: { url: new URL("./no-such-worker.mjs", import.meta.url) },
        }),
    };
    const error = await run(
      { data: line, target: "y", workers: 1, proposers: [list(good)] },
      stillborn,
    ).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(NdvmError);
    expect((error as NdvmError).code).toBe("E-WORKER");
    expect((error as NdvmError).facts.reason).toBe("crash");
    expect((error as NdvmError).help).toContain("workers: 0");
  });
});

describe("a worker that is stuck", () => {
  test("is ended and replaced, and its candidate fails at the first try", async () => {
    const sources = [...good.slice(0, 10), "(* endless x)", ...good.slice(10)];
    const { outcomes, events, done } = await run(
      { data: line, target: "y", workers: 2, proposers: [list(sources)] },
      {
        startRunner: async (setting, workers, told) =>
          Pool.start(setting, workers, told, { code: mortalCode, lookEvery: 40 }),
      },
    );
    expect(outcomes[10]).toMatchObject({ status: "failed", failure: { code: "E-WORKER" } });
    expect(outcomes[10]?.failure?.message).toContain("no sign of life");
    expect(outcomes.filter(({ status }) => status === "scored")).toHaveLength(20);
    expect(done.counts.workersReplaced).toBe(1);
    expect(events.filter(({ type }) => type === "worker")).toHaveLength(1);
  });
});

describe(`workers killed at random moments (SEED=${seed}, NDVM_KILLS=${kills})`, () => {
  test("leave the study as it would have been", async () => {
    const options = {
      data: oscillation,
      target: "y",
      seed: 5,
      epoch: 4,
      slots: 4,
      budget: { candidates: 40 * kills },
    };
    const proposers = () => [new Echo(), evolve({ draws: 30 })];
    const quiet = freshFile();
    await run({ ...options, workers: 0, proposers: proposers(), archive: quiet });
    const chance = new Random(seed);
    let killed = 0;
    const deadly: SearchHooks = {
      async startRunner(setting, workers, events) {
        let heard = 0;
        let next = 1 + Math.floor(chance.uniform() * 10);
        const pool: Pool = await Pool.start(setting, workers, {
          ...events,
          done(...epoch) {
            heard += 1;
            if (heard >= next && killed < kills) {
              next = heard + Math.floor(chance.uniform() * 10);
              const victim = Math.floor(chance.uniform() * workers);
              setTimeout(() => {
                if (pool.kill(victim)) killed += 1;
              }, chance.uniform() * 10);
            }
            events.done(...epoch);
          },
        });
        return pool;
      },
    };
    const noisy = freshFile();
    const { done } = await run(
      { ...options, workers: 2, proposers: proposers(), archive: noisy },
      deadly,
    );
    expect(killed).toBeGreaterThan(0);
    expect(done.counts.workersReplaced).toBeGreaterThan(0);
    expectSame(exported(noisy), exported(quiet));
  });
});
