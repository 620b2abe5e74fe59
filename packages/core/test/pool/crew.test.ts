/** Crews: workers are started, watched, replaced and ended in one way. */

import { afterEach, describe, expect, test } from "vitest";
import { Crew, type Death, hostStarter, type Watch } from "../../src/workers/index.js";

const url = new URL("./crew-worker.mjs", import.meta.url);

interface Told {
  readonly place: number;
  readonly what: "ready" | "message" | "death";
  readonly message?: unknown;
  readonly death?: Death;
}

let dispose: () => Promise<void> = async () => {};
afterEach(() => dispose());

async function crewOf(
  first: (place: number) => string,
  more: { workers?: number; startTimeMax?: number; watch?: Watch } = {},
) {
  const startHost = await hostStarter({ url, youngMegabytes: 16 });
  const told: Told[] = [];
  let wake: () => void = () => {};
  const tell = (event: Told): void => {
    told.push(event);
    wake();
  };
  const crew = new Crew<string, string>({
    workers: 1,
    startHost,
    first,
    ...more,
    ready: (place) => tell({ place, what: "ready" }),
    message: (place, message) => tell({ place, what: "message", message }),
    death: (place, death) => tell({ place, what: "death", death }),
  });
  dispose = () => crew.dispose();
  const until = async (count: number): Promise<Told[]> => {
    while (told.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return told;
  };
  return { crew, until };
}

describe("a crew", () => {
  test("starts workers with a first message, and passes on what they say", async () => {
    const { crew, until } = await crewOf((place) => `be ${place}`, { workers: 2 });
    crew.start(0);
    crew.start(1);
    const ready = await until(2);
    expect(ready.map(({ place, what }) => [place, what]).sort()).toEqual([
      [0, "ready"],
      [1, "ready"],
    ]);
    expect([crew.has(0), crew.isReady(0)]).toEqual([true, true]);
    crew.post(1, "who");
    const { place, message } = (await until(3))[2] as Told;
    expect([place, message]).toEqual([1, "be 1"]);
    expect(() => crew.start(1)).toThrow("taken");
  });

  test("tells of a death once, with exit code, error's code and facts, and can start another", async () => {
    const { crew, until } = await crewOf(() => "be there");
    crew.start(0);
    await until(1);
    crew.post(0, "exit 7");
    const exit = (await until(2))[1]?.death;
    expect(exit).toMatchObject({ wasReady: true, stillborn: 0 });
    expect(exit?.facts).toEqual({ reason: "crash", value: 7 });
    expect([crew.has(0), crew.isReady(0)]).toEqual([false, false]);
    crew.start(0);
    await until(3);
    crew.post(0, "throw");
    const thrown = (await until(4))[3]?.death;
    expect(thrown?.message).toBe("a bad day");
    expect(thrown?.facts).toEqual({
      reason: "crash",
      value: 1,
      actual: "E-MEMORY",
      cause: { message: "a bad day", facts: { reason: "room", limit: 3 } },
    });
  });

  test("counts workers that die before they are ready", async () => {
    const { crew, until } = await crewOf(() => "die");
    crew.start(0);
    expect((await until(1))[0]?.death).toMatchObject({ wasReady: false, stillborn: 1 });
    crew.start(0);
    expect((await until(2))[1]?.death).toMatchObject({ wasReady: false, stillborn: 2 });
  });

  test("gives up a worker that says something else first", async () => {
    const { crew, until } = await crewOf(() => "be strange");
    crew.start(0);
    expect((await until(1))[0]?.death?.facts).toEqual({ reason: "stranger" });
  });

  test("gives up a worker that is not ready in time", async () => {
    const { crew, until } = await crewOf(() => "be silent", { startTimeMax: 40 });
    crew.start(0);
    expect((await until(1))[0]?.death?.facts).toEqual({ reason: "silent", limit: 40 });
  });

  test("gives up a worker that has work and shows no sign of life", async () => {
    let sign: string | undefined;
    let looks = 0;
    const watch = {
      every: 5,
      looksMax: 4,
      signs: () => {
        looks += 1;
        return sign === "alive" ? `${looks}` : sign;
      },
    };
    const { crew, until } = await crewOf(() => "be there", { watch });
    crew.start(0);
    await until(1);
    const wait = async (more: number): Promise<void> => {
      const enough = looks + more;
      while (looks < enough) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    // Nothing to do, then work that gets on: both are fine for as long as they last.
    await wait(8);
    sign = "alive";
    await wait(8);
    expect(crew.isReady(0)).toBe(true);
    sign = "nothing moves";
    expect((await until(2))[1]?.death?.facts).toEqual({ reason: "stuck" });
  });

  test("ends workers in silence", async () => {
    const { crew, until } = await crewOf(() => "be there", { workers: 2 });
    crew.start(0);
    crew.start(1);
    await until(2);
    await crew.end(0);
    await crew.dispose();
    expect((await until(2)).map(({ what }) => what)).toEqual(["ready", "ready"]);
    expect([crew.has(0), crew.has(1)]).toEqual([false, false]);
    crew.post(0, "who");
  });
});
