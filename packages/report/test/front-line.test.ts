/**
 * The line of a front goes down at each size whose best member explains more than all that are no larger, and
 * nowhere else: in all small fronts, members of one size and of one loss among them, and in larger ones.
 */

import { expect, test } from "vitest";
import { searchFigures, type XY } from "../src/index.js";
import { figuresIn } from "./figures.js";
import { member, richStory } from "./made-up.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Size and loss of a member. Losses are powers of ten, so that each has a height of its own. */
type Place = readonly [size: number, power: number];

/** What a loss leaves unexplained, as the axis shows it. */
const errorOf = (power: number): number => 10 ** -power;

/** The line's corners: the least error of all members up to each size, level until it falls. */
function stairs(places: readonly Place[]): XY[] {
  const sizes = [...new Set(places.map(([size]) => size))].sort((a, b) => a - b);
  const corners: XY[] = [];
  let height = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    const best = Math.min(
      ...places.filter(([at]) => at <= size).map(([, power]) => errorOf(power)),
    );
    if (best < height) {
      if (corners.length > 0) corners.push([size, height]);
      corners.push([size, best]);
    }
    height = best;
  }
  return corners;
}

/** Corners at which a line turns: those on the way, and those it comes to twice, say nothing. */
function turnsOf(points: readonly XY[]): XY[] {
  const isSame = (a: number, b: number): boolean => Math.abs(Math.log(a / b)) < 0.01;
  const apart = points.filter(
    ([x, y], at) =>
      at === 0 || !isSame(x, points[at - 1]?.[0] ?? 0) || !isSame(y, points[at - 1]?.[1] ?? 0),
  );
  return apart.filter(([x, y], at) => {
    const [before, after] = [apart[at - 1], apart[at + 1]];
    if (before === undefined || after === undefined) return true;
    const isOnWay = (side: 0 | 1, value: number) =>
      isSame(before[side], value) && isSame(after[side], value);
    return !isOnWay(0, x) && !isOnWay(1, y);
  });
}

async function expectStairs(places: readonly Place[]): Promise<void> {
  // As a search tells its front: the more accurate of one size comes last.
  const sorted = [...places].sort(([a, x], [b, y]) => a - b || x - y);
  const front = sorted.map(([complexity, power], id) =>
    member(id, { complexity, loss: 3 * errorOf(power), trainR2: 1 - errorOf(power) }),
  );
  const drawn = figuresIn(await searchFigures(richStory, front, undefined));
  const figure = drawn.find(({ label }) => label.startsWith("unexplained share"));
  const points = figure?.marks.find(({ kind }) => kind === "line")?.points ?? [];
  const wanted = stairs(places);
  const turns = turnsOf(points);
  const what = JSON.stringify(sorted);
  // A flat line may end at the last member that is as good as the first.
  const last = turns.at(-1);
  if (last !== undefined && turns.length === wanted.length + 1 && wanted.length > 0) {
    expect(last[1] / (wanted.at(-1)?.[1] ?? 0), what).toBeCloseTo(1, 2);
    turns.pop();
  }
  expect(turns.length, what).toBe(wanted.length);
  for (const [at, [size, height]] of wanted.entries()) {
    expect(turns[at]?.[0], what).toBeCloseTo(size, 2);
    expect((turns[at]?.[1] ?? 0) / height, what).toBeCloseTo(1, 2);
  }
}

const GRID: readonly Place[] = [3, 4, 6].flatMap((size) =>
  [1, 2, 3].map((power): Place => [size, power]),
);

test("all fronts of up to three members", async () => {
  const ids = [...GRID.keys()];
  const places = (...at: readonly number[]): Place[] => at.map((id) => GRID[id] as Place);
  const pairs = ids.flatMap((a) => ids.slice(a).map((b) => places(a, b)));
  const triples = ids.flatMap((a) =>
    ids.slice(a).flatMap((b) => ids.slice(b).map((c) => places(a, b, c))),
  );
  // One height alone has no second label that it could be read by.
  const readable = [...pairs, ...triples].filter(
    (all) => new Set(all.map(([, power]) => power)).size > 1,
  );
  for (const all of readable) await expectStairs(all);
  expect(readable.length).toBeGreaterThan(100);
});

test(`larger fronts, SEED=${seed}`, async () => {
  let state = seed;
  const below = (count: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  for (let turn = 0; turn < 40; turn++) {
    const count = 4 + below(12);
    const drawn = Array.from({ length: count }, (): Place => [1 + below(9), 1 + below(7)]);
    await expectStairs([...drawn, [1, 1], [10, 8]]);
  }
});
