/**
 * What is told of lanes and inputs, each kept once: sets of inputs by their members, faults by all that they
 * tell, sums with the lanes that spoil them. Small tables by themselves, and through runs of programs.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Axis, Machine, mat, NdvmError, over, vec } from "../../src/index.js";
import { InputSets } from "../../src/machine/reports/input-sets.js";
import { ByteBudget } from "../../src/machine/results/byte-budget.js";
import { reduceGradients } from "../../src/machine/results/sums.js";
import { FailedLanes, NonFiniteLanes } from "../../src/machine/results/troubles.js";
import { Random } from "../fuzz/random.js";
import { caught, covered } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

describe("sets of inputs", () => {
  test("with other members are other sets, whatever their numbers look like side by side", () => {
    const sets = new InputSets(new ByteBudget(2 ** 30));
    const inputs = Array.from({ length: 125 }, (_, input) => input).filter(
      (n) => n < 25 || n > 110,
    );
    const known = new Map<number, readonly number[]>();
    const check = (set: number, members: readonly number[]): void => {
      expect(known.get(set) ?? members, `set ${set}`).toEqual(members);
      known.set(set, members);
      expect(sets.members(set), `${members}`).toEqual(members);
    };
    for (const input of inputs) check(sets.single(input), [input]);
    for (const a of inputs)
      for (const b of inputs)
        if (a < b) {
          check(sets.union(sets.single(a), sets.single(b)), [a, b]);
          check(sets.union(sets.single(b), sets.single(a)), [a, b]);
        }
    const three = sets.union(sets.union(sets.single(1), sets.single(2)), sets.single(3));
    check(three, [1, 2, 3]);
    check(sets.union(three, sets.single(2)), [1, 2, 3]);
    check(sets.union(sets.union(sets.single(12), sets.single(3)), sets.single(1)), [1, 3, 12]);
    expect(known.size).toBe(39 + (39 * 38) / 2 + 2);
  });

  test("of payloads are kept where there is room for more, and added to", () => {
    const sets = new InputSets(new ByteBudget(2 ** 30));
    for (const id of [0, 1, 1023, 1024, 3000, 70_000]) sets.add(id, sets.single(id % 7));
    sets.add(1023, sets.single(5));
    const members = (id: number) => sets.members(sets.of(id));
    expect([0, 1, 1023, 1024, 3000, 70_000, 2].map(members)).toEqual([
      ...[[0], [1], [1, 5], [2], [4], [0], []],
    ]);
  });

  test("a test of one of many inputs was not told, for two others that have its number in theirs", () => {
    const names = Array.from({ length: 13 }, (_, i) => `x${i}`);
    const sum = names.filter((_, i) => i !== 12).join(" ");
    const program = machine.load(`(let ((all (+ ${sum})) (s (+ x1 x2))) (if (> x12 0) all s))`, {
      inputs: names,
    });
    const inputs = Object.fromEntries(names.map((name) => [name, 1.5]));
    expect(program.diagnose(inputs).predicateOnly).toEqual(["x12"]);
    program.dispose();
  });
});

describe("faults", () => {
  const span = { start: 3, end: 7, line: 1, column: 4 } as never;
  const usual = { span, help: "help", source: "text", file: "file" };
  const error = (own: object, code = "E-TYPE", message = "message") =>
    new NdvmError(code as never, message, { ...usual, ...own });

  test("that differ in one thing they tell are two, and equal ones are one", () => {
    const others = [
      error({}, "E-SHAPE"),
      error({}, "E-TYPE", "other"),
      error({ help: "other" }),
      error({ help: undefined }),
      error({ span: { ...(span as object), start: 4 } }),
      error({ span: { ...(span as object), end: 8 } }),
      error({ span: undefined }),
    ];
    for (const other of others) {
      const failed = new FailedLanes(3);
      expect(failed.addFault({ error: error({}), own: [] })).toBe(0);
      expect(failed.addFault({ error: error({}), own: [] })).toBe(0);
      const second = failed.addFault({ error: other, own: [] });
      expect(second).toBe(1);
      failed.add(2, second, 0);
      failed.add(0, 0, 0);
      expect([failed.of(0), failed.of(1), failed.of(2)]).toEqual([error({}), undefined, other]);
      expect([...failed].map(({ lane }) => lane)).toEqual([0, 2]);
    }
  });

  test("with numbers of lanes are never one, in either order, and each lane has its own", () => {
    const own = (...numbers: number[]) => [{ mark: "#", numbers: Float64Array.from(numbers) }];
    const told = error({}, "E-TYPE", "got # and #");
    const failed = new FailedLanes(5);
    const faults = [own(1, 2), [], own(3), own(3), []].map((each) => ({ error: told, own: each }));
    expect(faults.map((fault) => failed.addFault(fault))).toEqual([0, 1, 2, 3, 4]);
    const places: [number, number, number][] = [[4, 0, 1], [1, 0, 0], [0, 1, 0], [3, 2, 0]]; // biome-ignore format: rows
    for (const [lane, fault, place] of places) failed.add(lane, fault, place);
    // A lane that has failed keeps its first failure.
    failed.add(4, 2, 0);
    expect(failed.count).toBe(4);
    expect([...failed].map(({ lane, error: each }) => [lane, each.message])).toEqual([
      [0, "got # and #"],
      [1, "got 1 and 1"],
      [3, "got 3 and 3"],
      [4, "got 2 and 2"],
    ]);
    expect(failed.first?.message).toBe("got # and #");
    const { lanes, faults: which, places: at } = failed.pack();
    expect([[...lanes], [...which], [...at]]).toEqual([
      [0, 1, 3, 4],
      [1, 0, 2, 0],
      [0, 0, 0, 1],
    ]);
  });

  test("equal words at two places each showed one of them", () => {
    const program = machine.load("(if (> x 0) (car '()) (if (< x 0) (+ 1 (car '())) (cdr '())))");
    const told = ({ message, span: place }: NdvmError) => [message, place];
    for (const x of [
      [1, -1, 0],
      [-1, 1, 0, 1],
      [0, -1, 1, -1, 2],
    ]) {
      const wanted = x.map((one) => told(caught(() => program.evaluate({ x: [one] }))));
      const { failures } = program.runPart({ x }, {}, false).outcome;
      expect(failures.map(({ error: each }) => told(each))).toEqual(wanted);
      expect(new Set(failures.map(({ error: each }) => covered(each))).size).toBe(2);
      expect(new Set(failures.map(({ error: each }) => each.span?.start)).size).toBe(3);
    }
    program.dispose();
  });
});

describe("lanes that are not finite", () => {
  test("have their number, zero signs and kinds apart, and a cause that may come later", () => {
    const lanes = new NonFiniteLanes(6);
    const place = { start: 1, end: 2 } as never;
    const first = lanes.addCause({ span: place, cause: "one" });
    const second = lanes.addCause({ span: undefined, cause: "two" });
    lanes.add(5, Number.NEGATIVE_INFINITY, second);
    lanes.add(0, Number.NaN, first);
    lanes.add(2, Number.POSITIVE_INFINITY, 0);
    lanes.add(2, Number.POSITIVE_INFINITY, 0);
    expect(lanes.count).toBe(3);
    const text = () => [...lanes].map(({ lane, value, message }) => [lane, value, message]);
    expect(text()).toEqual([
      [0, Number.NaN, "lane 0 is NaN: one"],
      [2, Number.POSITIVE_INFINITY, "lane 2 is Infinity"],
      [5, Number.NEGATIVE_INFINITY, "lane 5 is -Infinity: two"],
    ]);
    lanes.explain(2, { span: place, cause: "three" });
    lanes.explain(3, { span: place, cause: "nothing" });
    expect(text()[1]).toEqual([2, Number.POSITIVE_INFINITY, "lane 2 is Infinity: three"]);
    const whole = new NonFiniteLanes(20);
    whole.addCause({ span: undefined, cause: "of another part" });
    whole.unpack(lanes.pack(), 10);
    whole.unpack(lanes.pack(), 0);
    expect([...whole].map(({ lane, message, span }) => [lane, message, span])).toEqual(
      [0, 10].flatMap((from) => [
        [from, `lane ${from} is NaN: one`, place],
        [from + 2, `lane ${from + 2} is Infinity: three`, place],
        [from + 5, `lane ${from + 5} is -Infinity: two`, undefined],
      ]),
    );
  });
});

describe("sums of gradients", () => {
  test(`are those of lanes added plainly, with lanes that are NaN counted once, SEED=${seed}`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 150; round++) {
      const names = ["r", "d", "c"].filter(() => random.chance(0.8));
      const axes: Axis[] = names.map((name) => ({ name, size: random.between(1, 4) }));
      const lanes = axes.reduce((product, { size }) => product * size, 1);
      const inputs = ["a", "b", "v"].map((name) => {
        const own = names.filter(() => random.chance(0.5));
        if (random.chance(0.5)) own.reverse();
        return { name, axes: own };
      });
      const gradients = Object.fromEntries(
        inputs.map(({ name }) => {
          const count = name === "v" ? 3 : 1;
          const numbers = Float64Array.from({ length: lanes * count }, () =>
            random.chance(0.1) ? Number.NaN : random.between(-8, 8),
          );
          return [name, numbers];
        }),
      );
      const reduce = random.pick([true, false, ["a"], ["v", "b"], ["a", "b", "v"], []]);
      const got = reduceGradients(gradients, axes, inputs, reduce);
      const wanted = reduce === true ? ["a", "b", "v"] : reduce === false ? [] : reduce;
      expect(Object.keys(got.nanLanes).sort()).toEqual([...wanted].sort());
      for (const { name, axes: own } of inputs) {
        const all = gradients[name] as Float64Array;
        const count = all.length / lanes;
        const what = `${name} over ${own} of ${JSON.stringify(axes)}, by ${reduce}`;
        if (!wanted.includes(name)) {
          expect([got.gradients[name], got.gradientAxes[name]], what).toEqual([all, axes]);
          continue;
        }
        const sizes = own.map((axis) => axes.find((one) => one.name === axis) as Axis);
        expect(got.gradientAxes[name], what).toEqual(sizes);
        const places = sizes.reduce((product, { size }) => product * size, 1);
        const sums = new Float64Array(places * count);
        let nans = 0;
        for (let lane = 0; lane < lanes; lane++) {
          const index: Record<string, number> = {};
          let rest = lane;
          for (const { name: axis, size } of [...axes].reverse()) {
            index[axis] = rest % size;
            rest = Math.floor(rest / size);
          }
          const place = sizes.reduce(
            (at, { name: axis, size }) => at * size + (index[axis] ?? 0),
            0,
          );
          const mine = all.slice(lane * count, (lane + 1) * count);
          if (mine.some(Number.isNaN)) nans += 1;
          for (let e = 0; e < count; e++)
            sums[place * count + e] = (sums[place * count + e] as number) + (mine[e] as number);
        }
        expect(
          [...(got.gradients[name] ?? [])].map((sum) => sum + 0),
          what,
        ).toEqual([...sums].map((sum) => sum + 0));
        expect(got.nanLanes[name], what).toBe(nans);
      }
    }
  });

  test("count a failed lane once, however many numbers its input has", () => {
    const program = machine.load("(if (> x 2) (car x) (* x (+ (vsum (* v v)) (vsum m))))");
    const { reduced } = program.gradient(
      {
        x: over("d", [1, 3, 2, 4]),
        v: vec([1, 2, 3]),
        m: mat([
          [1, 2],
          [3, 4],
        ]),
      },
      { reduce: true },
    );
    expect({ ...reduced?.nanLanes }).toEqual({ x: 2, v: 2, m: 2 });
    program.dispose();
  });
});
