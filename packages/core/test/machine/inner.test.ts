/**
 * Parts of the machine's side in JavaScript, each by itself: which traces are tried and kept, forks of
 * paths, sets of lanes, budgets of results; and what fits use of sessions.
 */

import { describe, expect, test } from "vitest";
import { type Axis, Machine, type NdvmError, sumOver, vec } from "../../src/index.js";
import { laneOf, strideIndex, strideOf, writeStrided } from "../../src/machine/inputs/axes.js";
import { ByteBudget } from "../../src/machine/results/byte-budget.js";
import {
  joined,
  type LaneSet,
  laneAt,
  laneCount,
  listOf,
  splitLanes,
} from "../../src/machine/run/chunk.js";
import {
  addFork,
  forkAt,
  Habit,
  hasForks,
  leavePaths,
  rootOf,
} from "../../src/machine/run/paths.js";
import { extend, mark, NO_INPUTS, signatureOf } from "../../src/machine/run/signature.js";
import {
  delaySorting,
  isMiss,
  isSurveyDue,
  isThin,
  isWidthFitting,
  preferred,
  straysAllowed,
  type Trace,
  TraceGroup,
  type TraceSlots,
  Traces,
  wantsSorting,
} from "../../src/machine/run/traces.js";
import { TAG_INT } from "../../src/program/layout.js";
import { caught } from "./support.js";

const counters = { primalBytes: 24, adjointBytes: 8 } as Trace["counters"];

/** Traces whose arenas are numbers, counted from 1. */
function bareTraces(): { traces: Traces; freed: number[]; used: number[] } {
  const [freed, used]: [number[], number[]] = [[], []];
  let handles = 0;
  const slots = {
    park: () => ++handles,
    use: (handle: number) => used.push(handle),
    free: (handle: number) => freed.push(handle),
  } as unknown as TraceSlots;
  return { traces: new Traces(slots), freed, used };
}

const known = (recordedBytes = 100, hasMerges = false) => ({
  value: { tag: TAG_INT, data: 0 },
  hasMerges,
  counters,
  steps: 5,
  recordedBytes,
});

const keep = (traces: Traces, signature = "s", width = 8, bytes = 100, hasMerges = false): Trace =>
  traces.keep(known(bytes, hasMerges), signature, width, true) as Trace;

/** What an error tells. */
const whole = (error: NdvmError) => {
  const { code, message, help, facts } = error;
  return { code, message, help, facts };
};

describe("kept traces", () => {
  test("begin without a history, and are thin only where lanes merge", () => {
    const { traces } = bareTraces();
    traces.beginRun();
    expect(keep(traces, "s", 8, 100, true)).toEqual({
      ...{ isKept: true, owner: undefined, signature: "s", width: 8, steps: 5, recordedBytes: 100 },
      ...{ counters, isThin: true, handle: 1, result: { tag: TAG_INT, data: 0 }, hasMerges: true },
      ...{ bytesPerLane: 4, usedIn: 1, taken: 0, tries: 0, sortFrom: 0, next: undefined },
      ...{ nextSeen: 0, parent: undefined, partsAt: -1, forks: undefined },
    });
    expect(keep(traces).isThin).toBe(false);
    expect(traces.count).toBe(2);
  });

  test("come by the lanes they took in the latest run, and one that took none stays as it was", () => {
    const { traces } = bareTraces();
    traces.beginRun();
    const [a, b, c] = [keep(traces), keep(traces), keep(traces)] as const;
    for (const [trace, lanes] of [[a, 3], [b, 5], [b, 0], [c, 4], [c, 4]] as const) // biome-ignore format: pairs
      traces.took(trace, lanes);
    expect(traces.matching("s")).toEqual([c, b, a]);
    traces.beginRun();
    traces.took(a, 1);
    traces.took(c, 0);
    expect([a.usedIn, a.taken, c.usedIn, c.taken]).toEqual([2, 1, 1, 8]);
    expect(traces.matching("s")).toEqual([a, c, b]);
    expect(traces.matching("other")).toEqual([]);
    expect([preferred(a, c), preferred(c, b)].every((order) => order < 0)).toBe(true);
  });

  test("of other inputs are apart, and a group goes with its last trace", () => {
    const { traces, freed } = bareTraces();
    const [a, b, c] = [keep(traces, "p"), keep(traces, "q"), keep(traces, "r")] as const;
    expect(traces.group("p")?.traces).toEqual([a]);
    expect(traces.group("q")?.traces).toEqual([b]);
    traces.drop(b);
    traces.drop(b);
    expect([traces.group("q"), b.isKept, freed]).toEqual([undefined, false, [b.handle]]);
    traces.drop(a);
    expect([traces.group("p"), traces.group("r")?.traces]).toEqual([undefined, [c]]);
    const again = keep(traces, "p");
    expect(traces.group("p")?.traces).toEqual([again]);
    traces.clear();
    expect([traces.count, traces.group("r"), freed]).toEqual([0, undefined, [2, 1, 4, 3]]);
  });

  test("are 32 at most, and 8 where they are large; the one not used for longest goes", () => {
    const small = bareTraces();
    for (let i = 0; i < 40; i++) {
      small.traces.beginRun();
      keep(small.traces);
      expect(small.traces.count).toBe(Math.min(i + 1, 32));
    }
    expect(small.freed).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const large = bareTraces();
    for (let i = 0; i < 12; i++) {
      large.traces.beginRun();
      const trace = keep(large.traces, "s", 8, 2 ** 22);
      if (i === 0) large.traces.took(trace, 1);
    }
    expect([large.traces.count, large.freed]).toEqual([8, [1, 2, 3, 4]]);
    // Exactly as many bytes as may be kept.
    const full = bareTraces();
    for (let i = 0; i < 16; i++) keep(full.traces, "s", 8, 2 ** 20);
    expect(full.traces.count).toBe(16);
    keep(full.traces, "s", 8, 1);
    expect(full.traces.count).toBe(16);
  });

  test("hold something all of them, or there are none", () => {
    const { traces, used } = bareTraces();
    expect(traces.every(() => true)).toBe(false);
    keep(traces);
    keep(traces);
    expect(traces.every(() => true)).toBe(true);
    expect(used).toEqual([1, 2]);
    expect(traces.every(() => used.at(-1) === 1)).toBe(false);
  });
});

describe("which trace is tried first", () => {
  const group = (count: number) => {
    const { traces } = bareTraces();
    const list = Array.from({ length: count }, () => keep(traces));
    return { group: traces.group("s") as TraceGroup, list, traces };
  };

  test("the first, then the latest, then what followed on it twice", () => {
    const { group: one, list } = group(2);
    const [a, b] = list as [Trace, Trace];
    expect(new TraceGroup("s").likely()).toBeUndefined();
    expect([one.likely(), one.expects(a), one.expects(undefined)]).toEqual([a, false, false]);
    one.follow(b);
    expect([one.likely(), one.expects(b), one.expects(a)]).toEqual([b, true, false]);
    // a follows on b once, and b on a; then both again.
    one.follow(a);
    expect([one.likely(), b.next, b.nextSeen]).toEqual([a, a, 1]);
    one.follow(b);
    expect(one.likely()).toBe(b);
    one.follow(a);
    expect([one.likely(), b.nextSeen, one.expects(a)]).toEqual([a, 2, true]);
    one.follow(b);
    expect([one.likely(), one.expects(b)]).toEqual([a, false]);
    one.follow(b);
    expect([b.next, b.nextSeen, one.likely()]).toEqual([b, 1, b]);
    one.follow(b);
    expect([b.nextSeen, one.expects(b)]).toEqual([2, true]);
    b.isKept = false;
    expect(one.expects(b)).toBe(false);
  });

  test("after a walk none is the latest, and after several the one that took most", () => {
    const { group: one, list, traces } = group(3);
    const [a, b, c] = list as [Trace, Trace, Trace];
    traces.beginRun();
    traces.took(b, 2);
    traces.took(c, 1);
    one.settle(false);
    expect([one.traces, one.likely(), one.expects(b)]).toEqual([[b, c, a], b, true]);
    one.settle(true);
    expect([one.likely(), one.expects(b)]).toEqual([b, false]);
    one.follow(c);
    traces.drop(c);
    expect([one.likely(), one.traces]).toEqual([b, [b, a]]);
    b.next = a;
    traces.drop(a);
    expect(b.next).toBeUndefined();
  });

  test("a habit rests after 48 walks, twice as long each time, and looks eight times in between", () => {
    const habit = new Habit();
    const rests = (): number => {
      let count = 0;
      while (habit.isResting) {
        expect(habit.rests()).toBe(true);
        count += 1;
      }
      expect(habit.rests()).toBe(false);
      return count;
    };
    const misses = (count: number): void => {
      for (let i = 0; i < count; i++) habit.missed();
    };
    misses(47);
    expect(rests()).toBe(0);
    misses(1);
    expect(rests()).toBe(64);
    for (const length of [128, 256, 512, 1024, 2048, 4096, 4096]) {
      misses(7);
      expect(rests()).toBe(0);
      misses(1);
      expect(rests()).toBe(length);
    }
    habit.found();
    misses(47);
    expect(rests()).toBe(0);
    misses(1);
    expect(rests()).toBe(64);
  });

  test("limits, on both of their sides", () => {
    const fits = (width: number, lanes: number) => isWidthFitting({ width } as Trace, lanes);
    expect([fits(32, 1), fits(33, 1), fits(36, 9), fits(37, 9)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([fits(1, 8), fits(1, 9), fits(32, 256), fits(32, 257)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([0, 2, 3, 5, 6].map(straysAllowed)).toEqual([0, 0, 1, 1, 2]);
    expect([isThin(0, 1), isThin(1, 63), isThin(1, 64), isThin(21, 64), isThin(22, 64)]).toEqual([
      ...[true, false, true, true, false],
    ]);
    expect([isMiss(8, 0), isMiss(8, 1), isMiss(9, 0), isMiss(9, 1), isMiss(9, 2)]).toEqual([
      ...[false, false, false, true, false],
    ]);
    expect([isMiss(16, 1), isMiss(16, 2), isMiss(17, 2)]).toEqual([true, false, true]);
    const trace = { hasMerges: true, tries: 0, isThin: true, sortFrom: 0 } as Trace;
    const due = Array.from({ length: 33 }, (_, i) => (isSurveyDue(trace) ? i : -1));
    expect(due.filter((at) => at >= 0)).toEqual([15, 31]);
    expect(trace.tries).toBe(33);
    expect(wantsSorting(trace)).toBe(true);
    delaySorting(trace);
    expect(trace.sortFrom).toBe(33 + 64);
    expect([96, 97].map((tries) => wantsSorting({ ...trace, tries }))).toEqual([false, true]);
    expect(wantsSorting({ ...trace, tries: 97, isThin: false })).toBe(false);
    trace.tries = 100;
    delaySorting(trace);
    expect(trace.sortFrom).toBe(200);
    const plain = { hasMerges: false, tries: 15 } as Trace;
    expect([isSurveyDue(plain), plain.tries]).toEqual([false, 16]);
  });
});

describe("paths", () => {
  const trace = (): Trace => ({ parent: undefined, partsAt: -1, forks: undefined }) as Trace;

  test("part at guards, and those before a parting are the parent's", () => {
    const [root, a, b, c] = [trace(), trace(), trace(), trace()];
    addFork(a, root, 5, 40);
    expect(forkAt(root, 5)).toEqual({ record: 5, bytes: 40, traces: [root, a] });
    expect(forkAt(a, 5)).toBe(forkAt(root, 5));
    // b refused by a further on, c by a where a itself parts.
    addFork(b, a, 9, 80);
    expect([b.parent, b.partsAt, forkAt(a, 9)?.traces]).toEqual([a, 9, [a, b]]);
    expect([forkAt(root, 9), forkAt(b, 9)]).toEqual([undefined, forkAt(a, 9)]);
    addFork(c, a, 5, 40);
    expect([c.parent, forkAt(root, 5)?.traces]).toEqual([root, [root, a, c]]);
    expect(forkAt(b, 5)).toBe(forkAt(root, 5));
    expect([root, a, b, c].map(rootOf)).toEqual([root, root, root, root]);
    expect([root, a, b, c].map(hasForks)).toEqual([true, true, false, false]);
  });

  test("one that goes leaves no fork of its own behind", () => {
    const [root, a, b, c] = [trace(), trace(), trace(), trace()];
    addFork(a, root, 5, 40);
    addFork(b, root, 5, 40);
    addFork(c, root, 7, 56);
    leavePaths(a);
    expect([forkAt(root, 5)?.traces, a.parent]).toEqual([[root, b], undefined]);
    leavePaths(b);
    expect([forkAt(root, 5), hasForks(root), forkAt(root, 7)?.traces]).toEqual([
      ...[undefined, true, [root, c]],
    ]);
    addFork(a, root, 5, 40);
    leavePaths(root);
    expect([a.parent, c.parent, root.forks, hasForks(root)]).toEqual([
      ...[undefined, undefined, undefined, false],
    ]);
    expect(rootOf(c)).toBe(c);
  });
});

describe("sets of lanes", () => {
  const sets: readonly LaneSet[] = [
    { from: 0, to: 0 },
    { from: 3, to: 4 },
    { from: 2, to: 9 },
    { list: [] },
    { list: [5, 1, 8, 2] },
  ];

  test("count, list, split and join as plain lists do", () => {
    for (const set of sets) {
      const list = listOf(set);
      expect(laneCount(set)).toBe(list.length);
      expect(list.map((_, i) => laneAt(set, i))).toEqual(list);
      for (let count = 0; count <= 9; count++) {
        const [first, rest] = splitLanes(set, count);
        expect([listOf(first), listOf(rest)]).toEqual([list.slice(0, count), list.slice(count)]);
      }
      expect(joined([], set)).toBe(set);
      expect(listOf(joined([7, 6], set))).toEqual([7, 6, ...list]);
    }
    expect(listOf({ from: 2, to: 5 })).toEqual([2, 3, 4]);
  });
});

describe("inputs over some of the axes", () => {
  /** Every order of every choice of some names. */
  const orders = (names: readonly string[]): string[][] => [
    [],
    ...names.flatMap((name) =>
      orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
    ),
  ];
  /** The place of a lane among an input's own values. */
  const placeOf = (axes: readonly Axis[], own: readonly string[], lane: number): number => {
    let rest = lane;
    const indices = new Map<string, number>();
    for (const { name, size } of axes.toReversed()) {
      indices.set(name, rest % size);
      rest = Math.floor(rest / size);
    }
    const sizes = new Map(axes.map(({ name, size }) => [name, size]));
    return own.reduce(
      (at, name) => at * (sizes.get(name) as number) + (indices.get(name) as number),
      0,
    );
  };

  test.each([
    [2, 3, 4],
    [3, 1, 2],
    [1, 1, 1],
    [1, 5, 1],
    [4, 2, 1],
  ])("of sizes %i, %i and %i lie where counting says", (...sizes) => {
    const axes = sizes.map((size, i) => ({ name: "pqr"[i] as string, size }));
    const lanes = sizes.reduce((a, b) => a * b, 1);
    for (const own of orders(["p", "q", "r"]).slice(1)) {
      const stride = strideOf(axes, own);
      const count = own.reduce((n, name) => n * (axes.find((a) => a.name === name)?.size ?? 1), 1);
      const values = Float64Array.from({ length: count }, (_, i) => i + 1);
      const want = Array.from({ length: lanes }, (_, lane) => placeOf(axes, own, lane));
      if (stride === undefined) {
        expect(want, own.join()).toEqual(want.map((_, lane) => (count === 1 ? 0 : lane)));
        continue;
      }
      expect(
        want.map((_, lane) => strideIndex(stride, lane)),
        own.join(),
      ).toEqual(want);
      for (let from = 0; from < lanes; from++)
        for (let to = from; to <= lanes; to++) {
          const into = new Float64Array(lanes + 4).fill(-1);
          writeStrided(values, stride, { from, to }, into, 2);
          const written = want.slice(from, to).map((at) => values[at] as number);
          expect([...into]).toEqual([
            -1,
            -1,
            ...written,
            ...Array(lanes + 2 - written.length).fill(-1),
          ]);
        }
      // A part of the lanes begins elsewhere.
      for (const offset of [0, 1, lanes - 1]) {
        const part = { ...stride, offset };
        expect(strideIndex(part, 0)).toBe(want[offset]);
        const into = new Float64Array(1);
        writeStrided(values, part, { from: 0, to: 1 }, into, 0);
        expect(into[0]).toBe(values[want[offset] as number]);
      }
    }
  });
});

test("signatures are told apart by what is shared and what is wanted, however many inputs there are", () => {
  expect([mark(false, false), mark(false, true), mark(true, false), mark(true, true)]).toEqual([
    ...["l;", "la;", "s;", "sa;"],
  ]);
  expect(extend(extend(NO_INPUTS, true, false), false, true)).toMatchObject({
    text: "s;la;",
    count: 2,
  });
  expect(extend(NO_INPUTS, true, true)).toBe(extend(NO_INPUTS, true, true));
  const wanted = Array.from({ length: 40 }, (_, i) => i % 3 === 0);
  for (const count of [0, 1, 15, 16, 17, 18, 40])
    for (let turn = 0; turn < 2; turn++)
      expect(signatureOf(wanted, count)).toBe(
        wanted
          .slice(0, count)
          .map((one) => (one ? "sa;" : "s;"))
          .join(""),
      );
});

describe("budgets and places", () => {
  test("a budget of bytes can be used to its last one, and its rest anew each time", () => {
    const budget = new ByteBudget(100);
    budget.take(60);
    for (let turn = 0; turn < 2; turn++) {
      const rest = budget.rest();
      rest.take(40);
      expect(whole(caught(() => rest.take(1)))).toEqual({
        code: "E-MEMORY",
        message: "the result takes more than the memory budget of 100 bytes when it is read",
        help: expect.any(String),
        facts: { reason: "result", option: "memoryMax", limit: 100 },
      });
    }
    budget.take(40);
    expect(caught(() => budget.take(1)).code).toBe("E-MEMORY");
  });

  test("a place has an index along every axis, and what is wrong with one is told with the axes", () => {
    const axes = [
      { name: "r", size: 3 },
      { name: "one", size: 1 },
      { name: "d", size: 4 },
    ];
    for (let r = 0; r < 3; r++)
      for (let d = 0; d < 4; d++) {
        expect(laneOf(axes, { r, d })).toBe(r * 4 + d);
        expect(laneOf(axes, { d, one: 0, r })).toBe(r * 4 + d);
      }
    const help = "its axes are r (0 to 2), one (0 to 0), d (0 to 3)";
    const wrong: [Record<string, number>, string][] = [
      [{ r: 3, d: 0 }, "the axis r has no index 3"],
      [{ r: -1, d: 0 }, "the axis r has no index -1"],
      [{ r: 0.5, d: 0 }, "the axis r has no index 0.5"],
      [{ r: 0, d: 4 }, "the axis d has no index 4"],
      [{ r: 0, d: 0, one: 1 }, "the axis one has no index 1"],
      [{ r: 0 }, "the place says nothing about the axis d"],
      [{ r: 0, d: 0, q: 0 }, "the run has no axis q"],
    ];
    for (const [place, message] of wrong)
      expect(whole(caught(() => laneOf(axes, place)))).toEqual({
        ...{ code: "E-OPTION", message, help, facts: {} },
      });
    expect(caught(() => laneOf([], { r: 0 })).help).toBe(
      "nothing varies in this run: it has one lane and no axes",
    );
    expect(whole(caught(() => sumOver([1, 2], axes.slice(0, 2), "d")))).toMatchObject({
      message: "there is no axis d to sum over",
      help: "the axes are r, one",
    });
    expect(caught(() => sumOver([1, 2], [], "d")).help).toBe("the axes are none");
    expect(whole(caught(() => sumOver([1, 2, 3, 4], axes.slice(0, 2), "r")))).toMatchObject({
      message: "4 values do not fill 3 places",
      help: "give the axes the values have, in their order",
    });
  });
});

describe.each(["f64", "f32"] as const)("a session in %s, as fits use it", (precision) => {
  const columns = { t: Float64Array.from({ length: 2500 }, (_, i) => i / 512 - 2) };
  const source = "(+ (* a t t) (* b (vsum v)) c)";

  test("evaluates other lanes than its own, and goes on with its own", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load(source);
    const given = { a: 1, b: 2, c: 0.5, v: vec([1, 3]), t: [0, 1, 2, 3] };
    const plainly = (a: number, b: number, c: number, t: ArrayLike<number>) => [
      ...program.evaluate({ ...given, a, b, c, t: Float64Array.from(t) }).values,
    ];
    for (const lanes of [1, 3, 4, 5, 200, 2500]) {
      const session = program.session(given, { wrt: ["a", "b"] });
      const few = { t: columns.t.slice(0, lanes) };
      const other = (names: readonly string[], numbers: number[]) =>
        session.evaluateOther(few, names, Float64Array.from(numbers), lanes);
      // Before the session has numbers of its own, and after.
      expect([...(other(["a", "b"], [0.5, -1]) ?? [])]).toEqual(plainly(0.5, -1, 0.5, few.t));
      expect([...(other([], []) ?? [])]).toEqual(plainly(1, 2, 0.5, few.t));
      session.set("c", 4);
      session.run();
      expect([...session.values]).toEqual(plainly(1, 2, 4, given.t));
      expect([...(other(["b"], [0.25]) ?? [])]).toEqual(plainly(1, 0.25, 4, few.t));
      session.run();
      expect([...session.values]).toEqual(plainly(1, 2, 4, given.t));
      expect([...(session.gradients["a"] as Float64Array)]).toEqual([0, 1, 4, 9]);
      expect([...(session.gradients["b"] as Float64Array)]).toEqual([4, 4, 4, 4]);
    }
    machine.dispose();
  });

  test("a value that no lane changes is every lane's", async () => {
    const machine = await Machine.create({ precision });
    const session = machine.load("(* 2 a)").session({ a: 3 }, { lanes: 3 });
    const values = session.evaluateOther({}, ["a"], Float64Array.of(5), 4);
    expect([...(values ?? [])]).toEqual([10, 10, 10, 10]);
    machine.dispose();
  });

  test("lanes that go another way than its trace are not evaluated on it", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(list-ref (list a (* 2 a)) t)");
    const session = program.session({ a: 3, t: [0, 0] }, { wrt: ["a"] });
    const ask = (t: number[]) =>
      session.evaluateOther({ t: Float64Array.from(t) }, ["a"], Float64Array.of(4), t.length);
    expect([...(ask([0, 0, 0]) ?? [])]).toEqual([4, 4, 4]);
    const mixed = ask([0, 1, 0]);
    if (mixed !== undefined) expect([...mixed]).toEqual([4, 8, 4]);
    session.run();
    expect([...session.values]).toEqual([3, 3]);
    machine.dispose();
  });

  test("enters a trace with what its lanes share, walks once, and counts it", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(* a t)");
    const session = program.session({ a: 3, t: [1, 2] }, { wrt: ["a"] });
    expect(session.stats).toEqual({ runs: 0, walks: 0, replays: 0, sortings: 0 });
    const first = session.enter();
    expect([first?.machine, first?.trace.width]).toEqual([machine, 2]);
    expect(session.stats).toEqual({ runs: 0, walks: 1, replays: 0, sortings: 0 });
    // Another program and another session take the machine, and numbers of the trace.
    machine.load("(+ 1 2)").evaluate();
    program.session({ a: 7, t: [5, 6] }, { wrt: ["a"] }).run();
    const again = session.enter();
    expect(again?.trace).toBe(first?.trace);
    expect(session.stats.walks).toBe(1);
    const { exports, reals } = machine;
    const at = exports.primalAddress(session.payloadOf("a")) / reals.bytes;
    expect([...reals.view().slice(at, at + 16 / reals.bytes)]).toEqual(
      Array(16 / reals.bytes).fill(3),
    );
    expect(() => session.payloadOf("q")).toThrow("the session has no input q");
    session.set("a", 9);
    session.run();
    session.enter();
    expect(reals.view()[at]).toBe(9);
    expect([...session.values]).toEqual([9, 18]);
    expect(session.stats.runs).toBe(1);
    expect(whole(caught(() => session.set("q", 1)))).toMatchObject({
      code: "E-INPUT",
      message: "the session has no number input q",
      help: "it has a, t",
    });
    machine.dispose();
  });

  test("has no trace for work inside the machine with a time limit, chunks, no replay, or many lanes", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(* a t)");
    const inputs = { a: 3, t: [1, 2] };
    for (const options of [{ timeMax: 1e6 }, { chunk: 2 }, { replay: false }, { stepsMax: 1 }])
      expect(program.session(inputs, options).enter(), JSON.stringify(options)).toBeUndefined();
    const wide = (lanes: number) => program.session({ a: 3, t: new Float64Array(lanes).fill(2) });
    expect(wide(1024).enter()?.trace.width).toBe(1024);
    expect(wide(1025).enter()?.trace.width).toBe(1025);
    expect(wide(65536).enter()?.trace.width).toBe(65536);
    expect(wide(65537).enter()).toBeUndefined();
    expect(machine.load("(vec a t)").session(inputs).enter()).toBeUndefined();
    // Lanes that go two ways have two traces, and neither does for all.
    const parted = machine.load("(list-ref (list a (* 2 a)) t)").session({ a: 3, t: [0, 1, 1] });
    for (let run = 0; run < 2; run++) {
      expect(parted.enter()).toBeUndefined();
      parted.run();
      expect([...parted.values]).toEqual([3, 6, 6]);
    }
    parted.set("t", [1, 1, 1]);
    parted.run();
    parted.run();
    expect([...parted.values]).toEqual([6, 6, 6]);
    expect(parted.enter()?.trace.taken).toBe(3);
    machine.dispose();
  });
});
