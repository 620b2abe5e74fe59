/** Telling with a journal and a clock of the test's own: what is written when, and what is left behind. */

import { performance as perfHooks } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Journal, JournalEntry } from "../../src/engine/journal.js";
import { EventQueue } from "../../src/engine/queue.js";
import { Telling } from "../../src/engine/telling.js";
import type { SearchEvent } from "../../src/index.js";

describe("telling", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    const began = Date.now();
    vi.spyOn(perfHooks, "now").mockImplementation(() => 1000 + Date.now() - began);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const event = (message: string): SearchEvent => ({ type: "warning", message });
  const open = () => {
    const queue = new EventQueue<SearchEvent>();
    const written: string[][] = [];
    const story: string[] = [];
    let finish: (() => void)[] = [];
    let fail: ((error: Error) => void)[] = [];
    const journal = {
      commit({ events, ...rest }: JournalEntry) {
        expect(rest).toEqual({ state: "the state", members: "members" });
        written.push(events.map((each) => ("message" in each ? String(each.message) : each.type)));
        return new Promise<void>((resolve, reject) => {
          finish.push(resolve);
          fail.push(reject);
        });
      },
    } as unknown as Journal;
    const telling = new Telling(queue, journal, {
      entry: () => ({ state: "the state", members: "members" }) as never,
      wake: () => story.push("wake"),
      fail: (error) => story.push(`fail: ${(error as Error).message}`),
    });
    const done = async () => {
      for (const act of finish) act();
      finish = [];
      fail = [];
      await vi.advanceTimersByTimeAsync(0);
    };
    const refuse = async () => {
      for (const act of fail) act(new Error("disk"));
      await vi.advanceTimersByTimeAsync(0);
    };
    const heard = () => {
      const all: string[] = [];
      for (let one = queue.take(); one !== undefined; one = queue.take())
        all.push("message" in one ? String(one.message) : one.type);
      return all;
    };
    return { telling, written, story, done, refuse, heard, queue };
  };

  test("without a journal is at once", () => {
    const queue = new EventQueue<SearchEvent>();
    const telling = new Telling(queue, undefined, {} as never);
    telling.tell(event("a"));
    void telling.finish(event("end"));
    expect([queue.take(), queue.take(), queue.take()]).toEqual([
      event("a"),
      event("end"),
      undefined,
    ]);
    expect(telling.unwritten).toBe(0);
  });

  test("is after the journal has it, and the journal writes every 100 milliseconds at most", async () => {
    const { telling, written, story, done, heard } = open();
    telling.tell(event("a"));
    telling.tell(event("b"));
    expect([written, telling.unwritten]).toEqual([[], 2]);
    await vi.advanceTimersByTimeAsync(0);
    expect([written, telling.unwritten]).toEqual([[["a", "b"]], 0]);
    telling.tell(event("c"));
    await vi.advanceTimersByTimeAsync(1000);
    expect([written, heard(), story]).toEqual([[["a", "b"]], [], []]);
    await done();
    expect([heard(), story]).toEqual([["a", "b"], ["wake"]]);
    expect(written).toEqual([["a", "b"], ["c"]]);
    await done();
    telling.tell(event("d"));
    await vi.advanceTimersByTimeAsync(99);
    expect(written).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(written).toEqual([["a", "b"], ["c"], ["d"]]);
    expect(heard()).toEqual(["c"]);
  });

  test("ends with the last event after all others", async () => {
    const { telling, written, done, heard } = open();
    telling.tell(event("a"));
    await vi.advanceTimersByTimeAsync(0);
    telling.tell(event("b"));
    let isOver = false;
    void telling.finish(event("end")).then(() => {
      isOver = true;
    });
    await done();
    expect(written).toEqual([["a"], ["b", "end"]]);
    expect([heard(), isOver]).toEqual([["a"], false]);
    await done();
    expect([heard(), isOver]).toEqual([["b", "end"], true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves no timer behind when it is closed, and says what the journal could not do", async () => {
    const { telling, story, refuse, heard, written } = open();
    telling.tell(event("a"));
    await telling.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(written).toEqual([]);
    const other = open();
    other.telling.tell(event("a"));
    await vi.advanceTimersByTimeAsync(0);
    await other.refuse();
    expect([other.story, other.heard()]).toEqual([["fail: disk"], []]);
    other.telling.tell(event("b"));
    await vi.advanceTimersByTimeAsync(100);
    expect(other.written).toEqual([["a"], ["b"]]);
    await refuse();
    expect([story, heard()]).toEqual([[], []]);
  });

  test("that is closed while the journal writes waits for it, and writes nothing after it", async () => {
    const { telling, written, done, heard } = open();
    telling.tell(event("a"));
    await vi.advanceTimersByTimeAsync(0);
    telling.tell(event("b"));
    let isClosed = false;
    void telling.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(isClosed).toBe(false);
    await done();
    expect([isClosed, heard(), vi.getTimerCount()]).toEqual([true, ["a"], 0]);
    await vi.advanceTimersByTimeAsync(500);
    expect(written).toEqual([["a"]]);
  });

  test("that ends before anything was written writes all of it once, however long that takes", async () => {
    const { telling, written, done, heard } = open();
    telling.tell(event("a"));
    void telling.finish(event("end"));
    await vi.advanceTimersByTimeAsync(500);
    expect(written).toEqual([["a", "end"]]);
    await done();
    expect([heard(), written.length]).toEqual([["a", "end"], 1]);
  });

  test("reports how things stand every 250 milliseconds at most", () => {
    const queue = new EventQueue<SearchEvent>();
    const telling = new Telling(queue, undefined, {} as never);
    const times: number[] = [];
    for (let i = 0; i < 600; i++) {
      telling.report(() => {
        times.push(i);
        return event("progress");
      });
      vi.advanceTimersByTime(1);
    }
    expect(times).toEqual([0, 250, 500]);
    expect(queue.size).toBe(3);
  });
});
