/** What closes archives at a process's last moment, with signals of the test's own. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { atLastMoment } from "../../src/archive/last-moment.js";

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
const names = [...SIGNALS, "exit"] as const;
type Listener = (...args: unknown[]) => void;
const others = new Map<string, Listener[]>();
const kill = vi.spyOn(process, "kill").mockReturnValue(true);

beforeEach(() => {
  for (const name of names) {
    others.set(name, process.listeners(name as "SIGTERM") as Listener[]);
    process.removeAllListeners(name);
  }
  kill.mockClear();
});
afterEach(() => {
  for (const name of names) {
    process.removeAllListeners(name);
    for (const listener of others.get(name) ?? []) process.on(name, listener);
  }
});

const listening = () => names.map((name) => process.listenerCount(name));

test.each(SIGNALS)(
  "%s closes every archive once, and ends the process as it would have",
  (signal) => {
    const closed: string[] = [];
    atLastMoment(() => closed.push("one"));
    atLastMoment(() => closed.push("two"));
    expect(listening()).toEqual([1, 1, 1, 1]);
    process.emit(signal, signal);
    expect(closed).toEqual(["one", "two"]);
    expect(kill.mock.calls).toEqual([[process.pid, signal]]);
    expect(listening()).toEqual([0, 0, 0, 0]);
  },
);

test("a signal that somebody else listens to is theirs: nothing is closed", () => {
  const closed: string[] = [];
  const takeOff = atLastMoment(() => closed.push("one"));
  const heard: string[] = [];
  process.on("SIGTERM", () => heard.push("theirs"));
  process.emit("SIGTERM", "SIGTERM");
  expect([heard, closed, kill.mock.calls]).toEqual([["theirs"], [], []]);
  process.emit("exit", 0);
  expect(closed).toEqual(["one"]);
  takeOff();
});

test("an archive that is closed is taken off, and the last of them ends the listening", () => {
  const closed: string[] = [];
  const [first, second] = ["one", "two"].map((name) => atLastMoment(() => closed.push(name)));
  first?.();
  expect(listening()).toEqual([1, 1, 1, 1]);
  second?.();
  second?.();
  expect(listening()).toEqual([0, 0, 0, 0]);
  atLastMoment(() => closed.push("three"));
  expect(listening()).toEqual([1, 1, 1, 1]);
  process.emit("exit", 0);
  expect(closed).toEqual(["three"]);
});
