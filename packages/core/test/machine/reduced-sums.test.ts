/**
 * Reduced gradients, bit for bit: sums over the axes that an input does not have, made from the gradient per
 * lane a second time and plainly. They are the same in whatever order the caller names inputs and axes, for
 * axes of any names, for numbers and vectors, and in whatever order an input's own values come.
 */

import { afterAll, expect, test } from "vitest";
import { type Inputs, Machine, over, reduceGradients, vec } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { bitsOf } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

const machine = await Machine.create();
afterAll(() => machine.dispose());

/** Alphabetical order of these is by code units: capitals first, 10 before 9. */
const NAMES = ["restart", "data", "a", "B", "b", "axis 10", "axis 9", "Ä", "__proto__", "0"];

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

interface Shape {
  /** Axes with their sizes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The axes of each input, in the order of its values. */
  readonly axes: Readonly<Record<string, readonly string[]>>;
}

const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

/** The sum of values along an axis as it is promised: eight partial sums, then a tree. */
function plainSum(values: readonly number[]): number {
  const p = [0, 0, 0, 0, 0, 0, 0, 0];
  values.forEach((value, index) => {
    p[index % 8] = (p[index % 8] as number) + value;
  });
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = p;
  return a + b + (c + d) + (e + f + (g + h));
}

/** Every place of axes as coordinates, the last axis fastest. */
function placesOf(axes: readonly string[], { sizes }: Shape): Map<string, number>[] {
  return axes.reduce<Map<string, number>[]>(
    (places, name) =>
      places.flatMap((place) =>
        Array.from({ length: sizes.get(name) as number }, (_, i) => new Map([...place, [name, i]])),
      ),
    [new Map()],
  );
}

const keyOf = (place: ReadonlyMap<string, number>, axes: readonly string[]): string =>
  axes.map((name) => place.get(name)).join(",");

/** Sums one number per lane over the axes that an input does not have, one axis after the other by name. */
function reducedPlainly(
  perLane: readonly number[],
  axes: readonly string[],
  own: readonly string[],
  shape: Shape,
): number[] {
  let left = [...axes];
  const lanes = placesOf(axes, shape).map((place, i) => [keyOf(place, left), perLane[i]] as const);
  let sums = new Map(lanes as (readonly [string, number])[]);
  const missing = axes.filter((name) => !own.includes(name)).sort();
  for (const name of missing) {
    const others = left.filter((other) => other !== name);
    const along = Array.from({ length: shape.sizes.get(name) as number }, (_, i) => i);
    const summed = placesOf(others, shape).map((place): readonly [string, number] => [
      keyOf(place, others),
      plainSum(along.map((i) => sums.get(keyOf(new Map([...place, [name, i]]), left)) as number)),
    ]);
    sums = new Map(summed);
    left = others;
  }
  return placesOf(own, shape).map((place) => {
    const key = keyOf(place, left);
    return sums.get(key) as number;
  });
}

/** Numbers of very different sizes: the order of a sum shows in its bits. */
const uneven = (random: Random, count: number): number[] =>
  Array.from({ length: count }, () => (random.unit() - 0.5) * 10 ** random.between(-6, 6));

const SOURCE = "(+ (* w (+ k u v)) (dot q [w (* 2 w)]) (* k y))";
const SCALARS = ["w", "k", "u", "v", "y"] as const;

function drawShape(random: Random): Shape {
  const names = shuffled(random, NAMES).slice(0, random.between(2, 4));
  const sizes = new Map(names.map((name) => [name, random.pick([2, 3, 4, 9])]));
  const some = (): string[] => shuffled(random, names).slice(0, random.between(0, names.length));
  // One input has all axes, one has none.
  const axes = { w: shuffled(random, names), k: [], u: some(), v: some(), q: some(), y: some() };
  return { sizes, axes };
}

function drawInputs(random: Random, { sizes, axes }: Shape): Record<string, Inputs[string]> {
  const countOf = (name: string) =>
    product((axes[name] ?? []).map((axis) => sizes.get(axis) as number));
  const options = { sizes: Object.fromEntries(sizes) };
  const scalars = SCALARS.map((name): [string, Inputs[string]] => {
    const own = axes[name] ?? [];
    const values = uneven(random, countOf(name));
    return [name, own.length === 0 ? (values[0] as number) : over([...own], values, options)];
  });
  const own = axes["q"] ?? [];
  const vectors = Array.from({ length: countOf("q") }, () => vec(uneven(random, 2)));
  const q: Inputs[string] =
    own.length === 0 ? (vectors[0] as Inputs[string]) : over([...own], vectors, options);
  return Object.fromEntries([...scalars, ["q", q]]);
}

test(`gradients are summed by the names of axes, whatever comes first, SEED=${seed}`, () => {
  const random = new Random(seed, 0);
  const program = machine.load(SOURCE);
  let orders = 0;
  for (let turn = 0; turn < 25; turn++) {
    const shape = drawShape(random);
    const inputs = drawInputs(random, shape);
    const expected = new Map<string, string[]>();
    for (let again = 0; again < 4; again++) {
      const names = shuffled(random, Object.keys(inputs));
      const given = Object.fromEntries(names.map((name) => [name, inputs[name]])) as Inputs;
      const perLane = program.gradient(given);
      const out = program.gradient(given, { reduce: true });
      const axes = perLane.axes.map(({ name }) => name);
      if (axes.join() !== [...axes].sort().join()) orders += 1;
      for (const name of names) {
        const own = shape.axes[name] ?? [];
        const what = `${name} over ${own.join(" and ")} of ${axes.join(", ")}`;
        const all = [...(perLane.gradients[name] ?? [])];
        const elements = name === "q" ? [0, 1] : [0];
        const sums = elements.map((element) =>
          reducedPlainly(
            all.filter((_, i) => i % elements.length === element),
            axes,
            own,
            shape,
          ),
        );
        const [first = []] = sums;
        const wanted = bitsOf(first.flatMap((_, i) => sums.map((sum) => sum[i] as number)));
        expect(bitsOf(out.gradients[name] ?? []), what).toEqual(wanted);
        // The same in whatever order the inputs came.
        if (!expected.has(name)) expected.set(name, wanted);
        expect(wanted, what).toEqual(expected.get(name));
        expect(
          out.reduced?.gradientAxes[name]?.map((axis) => axis.name),
          what,
        ).toEqual(own);
      }
    }
  }
  expect(orders).toBeGreaterThan(25);
  program.dispose();
});

test(`gradients that somebody else has are summed in the same way, SEED=${seed}`, () => {
  const random = new Random(seed, 1);
  for (let turn = 0; turn < 25; turn++) {
    const shape = drawShape(random);
    const own = shape.axes["u"] ?? [];
    const names = [...shape.sizes.keys()];
    const values = new Map(
      placesOf(names, shape).map((place) => [keyOf(place, names), uneven(random, 1)[0] as number]),
    );
    const results = [names, [...names].reverse(), shuffled(random, names)].map((order) => {
      const axes = order.map((name) => ({ name, size: shape.sizes.get(name) as number }));
      const perLane = placesOf(order, shape).map(
        (place) => values.get(keyOf(place, names)) as number,
      );
      const { gradients } = reduceGradients(
        { u: Float64Array.from(perLane) },
        axes,
        [{ name: "u", axes: own }],
        true,
      );
      const wanted = reducedPlainly(perLane, order, own, shape);
      expect(bitsOf(gradients["u"] ?? []), order.join(", ")).toEqual(bitsOf(wanted));
      return bitsOf(wanted);
    });
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  }
});
