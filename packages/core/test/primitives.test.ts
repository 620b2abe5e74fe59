/**
 * One suite over the declarations of all element-wise primitives: the reference against its own
 * slope, and the SIMD kernels of the built machine against independent oracles, in both precisions.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Algebra } from "../src/primitives/algebra.js";
import { generatedFiles } from "../src/primitives/generate.js";
import {
  type ElementwiseDeclaration,
  kinds,
  type Param,
  type PredicateDeclaration,
  type Primitive,
  primitiveByName,
  primitives,
} from "../src/primitives/index.js";
import { numbers } from "../src/primitives/numbers.js";
import { Op, opRanges, primitiveByName as registered } from "../src/primitives/registry.js";
import { KernelDoor, type Payload, type Precision, type Values } from "./primitives/kernel-door.js";
import { type Oracle, oracles, slopeOf, testOracles } from "./primitives/oracles.js";

type Elementwise = Primitive & ElementwiseDeclaration;
type Predicate = Primitive & PredicateDeclaration;
type Pair = readonly [number, number];

const elementwise = primitives.filter((p): p is Elementwise => /^(unary|binary)$/.test(p.kind));
const predicates = primitives.filter((p): p is Predicate => p.kind.endsWith("Predicate"));
const precisions: readonly Precision[] = ["f32", "f64"];
const doors = { f32: new KernelDoor("f32"), f64: new KernelDoor("f64") };
const tolerance = { f32: 1e-5, f64: 1e-9 };

function oracleOf(p: Primitive): Oracle {
  const oracle = oracles[p.name];
  if (!oracle) throw new Error(`${p.name} has no oracle`);
  return oracle;
}

const withGrid = (p: Primitive, value: number) => {
  const grid = oracleOf(p).grid;
  return grid ? Math.round(value / grid) * grid || grid : value;
};
const within = (p: Primitive, { fuzz: [min, max] }: Param) =>
  fc.double({ min, max, noNaN: true }).map((value) => withGrid(p, value));

/** Operands from the fuzz range; the second is 0 for a unary primitive. */
const inputsOf = (p: Elementwise): fc.Arbitrary<Pair> =>
  fc.tuple(within(p, p.params.x), p.params.y ? within(p, p.params.y) : fc.constant(0));

/** As `inputsOf`, with edges, infinities and NaN among them. */
const roughInputsOf = (p: Elementwise): fc.Arbitrary<Pair> => {
  const operand = (param: Param) => fc.oneof(within(p, param), fc.constantFrom(...param.edges));
  return fc.tuple(operand(p.params.x), p.params.y ? operand(p.params.y) : fc.constant(0));
};

const edgesOf = (p: Elementwise | Predicate): Pair[] =>
  p.params.x.edges.flatMap((x) => (p.params.y?.edges ?? [0]).map((y): Pair => [x, y]));

function expectClose(actual: number, expected: number, relative: number, what: string): void {
  if (Object.is(actual, expected) || actual === expected) return;
  const error = Math.abs(actual - expected);
  if (error <= relative * Math.max(1, Math.abs(expected))) return;
  expect.fail(`${what}: expected ${expected}, got ${actual}`);
}

const adjointAt = (p: Elementwise, g: number, [x, y]: Pair) =>
  p.adjoint === "none"
    ? { x: 0, y: 0 }
    : p.adjoint(numbers as Algebra<number, boolean>, { g, x, y, z: p.forward(numbers, { x, y }) });

describe.each(elementwise)("($name) in plain numbers", (p) => {
  test("agrees with its oracle", () => {
    fc.assert(
      fc.property(inputsOf(p), ([x, y]) => {
        expectClose(p.forward(numbers, { x, y }), oracleOf(p).value(x, y), 1e-12, `${x}, ${y}`);
      }),
    );
  });

  test("has an adjoint that agrees with the slope of forward", () => {
    fc.assert(
      fc.property(inputsOf(p), ([x, y]) => {
        fc.pre((oracleOf(p).kink?.(x, y) ?? 1) > 0.01);
        if (p.adjoint === "none") return;
        const slope = adjointAt(p, 1, [x, y]);
        const along = [
          slopeOf((at) => p.forward(numbers, { x: at, y }), x),
          slopeOf((at) => p.forward(numbers, { x, y: at }), y),
        ] as const;
        expectClose(slope.x, along[0], 1e-7, `x slope at ${x}, ${y}`);
        if (p.kind === "binary") expectClose(slope.y ?? 0, along[1], 1e-7, `y slope at ${x}, ${y}`);
      }),
    );
  });
});

const lanesOf = (pairs: readonly Pair[], which: 0 | 1): Payload => ({
  values: [pairs.map((pair) => pair[which])],
});

/** Runs a kernel pair on scalars, one lane per pair of operands. */
function runLanes(p: Elementwise, door: KernelDoor, pairs: readonly Pair[], g: readonly number[]) {
  const isBinary = p.kind === "binary";
  const x = lanesOf(pairs, 0);
  const y = isBinary ? lanesOf(pairs, 1) : undefined;
  const z = door.forward(p.op, x, y, 1, pairs.length);
  const zeros: Values = [pairs.map(() => 0)];
  const gy = isBinary ? zeros : null;
  const targets = door.adjoint(p.op, { x, y, z: { values: z }, g: [g], gx: zeros, gy });
  return { z: z[0] ?? [], gx: targets.gx?.[0] ?? [], gy: targets.gy?.[0] ?? [] };
}

const cases = precisions.flatMap((precision) =>
  elementwise.map((p) => ({ name: p.name, precision, p, door: doors[precision] })),
);
const rounded = (door: KernelDoor, pairs: readonly Pair[]) =>
  pairs.map(([x, y]): Pair => [door.round(x), door.round(y)]);

describe.each(cases)("the kernels of $name in $precision", ({ precision, p, door }) => {
  const oracle = oracleOf(p);

  const expectValues = (pairs: readonly Pair[]) => {
    const { z } = runLanes(
      p,
      door,
      pairs,
      pairs.map(() => 1),
    );
    pairs.forEach(([x, y], lane) => {
      const expected = door.round(oracle.value(x, y));
      const actual = z[lane] ?? Number.NaN;
      const what = `(${p.name} ${x} ${y})`;
      if (!oracle.isExact) expectClose(actual, expected, tolerance[precision] / 10, what);
      else if (oracle.grid) expect(actual === expected, `${what} is ${actual}`).toBe(true);
      else expect(actual, what).toBe(expected);
    });
  };

  test("agree with the oracle over the fuzz range", () => {
    const inputs = fc.array(inputsOf(p), { minLength: 1, maxLength: 9 });
    fc.assert(fc.property(inputs, (pairs) => expectValues(rounded(door, pairs))));
  });

  test("agree with the oracle at the edges", () => expectValues(rounded(door, edgesOf(p))));

  test("pass the oracle's slope times g to each operand", () => {
    const inputs = fc.array(fc.tuple(inputsOf(p), fc.double({ min: -2, max: 2, noNaN: true })), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(inputs, (points) => {
        const pairs = rounded(
          door,
          points.map(([pair]) => pair),
        );
        const g = points.map(([, weight]) => door.round(weight));
        const { gx, gy } = runLanes(p, door, pairs, g);
        pairs.forEach(([x, y], lane) => {
          if ((oracle.kink?.(x, y) ?? 1) === 0) return;
          const [slopeX = () => 0, slopeY = () => 0] = oracle.slopes ?? [];
          const weight = g[lane] ?? 0;
          const what = `slope of (${p.name} ${x} ${y})`;
          expectClose(gx[lane] ?? 0, weight * slopeX(x, y), tolerance[precision], `x ${what}`);
          if (p.kind === "unary") return;
          expectClose(gy[lane] ?? 0, weight * slopeY(x, y), tolerance[precision], `y ${what}`);
        });
      }),
    );
  });
});

/** How an operand is stored: as a tensor or one broadcast number, per lane or uniform. */
interface Storage {
  readonly isScalar: boolean;
  readonly isUniform: boolean;
}

const storage: fc.Arbitrary<Storage> = fc.record({
  isScalar: fc.boolean(),
  isUniform: fc.boolean(),
});

/** The same operand values for every lane and element that one stored value stands for. */
function store(values: Values, { isScalar, isUniform }: Storage): Payload {
  const elements = isScalar ? values.slice(0, 1) : values;
  return {
    values: isUniform ? elements.map((lanes) => lanes.slice(0, 1)) : elements,
    isUniform,
  };
}

const valueAt = ({ values, isUniform }: Payload, element: number, lane: number): number =>
  values[values.length === 1 ? 0 : element]?.[isUniform ? 0 : lane] ?? Number.NaN;

interface Scene {
  readonly count: number;
  readonly lanes: number;
  readonly x: Payload;
  readonly y: Payload | undefined;
  readonly g: Values;
}

/** Operands of mixed storage, with edges among the values. */
function scenesOf(p: Elementwise, door: KernelDoor): fc.Arbitrary<Scene> {
  const shape = fc.record({
    // Multiples of four are summed in another loop.
    count: fc.constantFrom(1, 2, 3, 4, 8),
    lanes: fc.integer({ min: 1, max: 9 }),
    x: storage,
    y: storage,
  });
  return shape.chain((s) => {
    const grid = <T>(entry: fc.Arbitrary<T>) =>
      fc.array(fc.array(entry, { minLength: s.lanes, maxLength: s.lanes }), {
        minLength: s.count,
        maxLength: s.count,
      });
    const weight = fc.oneof(
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
    );
    return fc.tuple(grid(roughInputsOf(p)), grid(weight)).map(([pairs, g]): Scene => {
      const operand = (which: 0 | 1) =>
        pairs.map((lanes) => lanes.map((pair) => door.round(pair[which])));
      const x = store(operand(0), s.x);
      const y = p.kind === "binary" ? store(operand(1), s.y) : undefined;
      const count = Math.max(x.values.length, y?.values.length ?? 1);
      const weights = g.slice(0, count).map((lanes) => lanes.map((value) => door.round(value)));
      return { count, lanes: s.lanes, x, y, g: weights };
    });
  });
}

/** The kernels on one lane of one element alone. */
function runAlone(p: Elementwise, door: KernelDoor, scene: Scene, element: number, lane: number) {
  const pair: Pair = [
    valueAt(scene.x, element, lane),
    scene.y ? valueAt(scene.y, element, lane) : 0,
  ];
  const { z, gx, gy } = runLanes(p, door, [pair], [scene.g[element]?.[lane] ?? Number.NaN]);
  return { z: z[0] ?? 0, x: gx[0] ?? 0, y: gy[0] ?? 0 };
}

const grid = (count: number, lanes: number, value: (e: number, lane: number) => number) =>
  Array.from({ length: count }, (_, e) => Array.from({ length: lanes }, (_, l) => value(e, l)));

describe.each(cases)("the kernels of $name in $precision, whatever the storage", ({ p, door }) => {
  const runs = { numRuns: 40 };
  const adjointOf = (
    scene: Scene,
    start: number,
    active: { x: boolean; y: boolean },
    isFresh = { x: false, y: false },
  ) => {
    const { count, lanes, x, y, g } = scene;
    const z = { values: door.forward(p.op, x, y, count, lanes) };
    const target = (payload: Payload | undefined, isActive: boolean) =>
      payload && isActive ? grid(payload.values.length, lanes, () => start) : null;
    const gx = target(x, active.x);
    return door.adjoint(p.op, { x, y, z, g, gx, gy: target(y, active.y), isFresh });
  };
  /** Contributions of single lanes and elements, added up in ascending order. */
  const addedUp = (scene: Scene, payload: Payload, which: "x" | "y", start: number) =>
    grid(payload.values.length, scene.lanes, (element, lane) => {
      const isBroadcast = payload.values.length === 1;
      const elements = isBroadcast ? [...Array(scene.count).keys()] : [element];
      return elements.reduce(
        (sum, e) => door.round(sum + runAlone(p, door, scene, e, lane)[which]),
        start,
      );
    });

  test("give each lane and element the bits it has alone", () => {
    fc.assert(
      fc.property(scenesOf(p, door), (scene) => {
        const { count, lanes, x, y } = scene;
        const alone = grid(count, lanes, (e, lane) => runAlone(p, door, scene, e, lane).z);
        expect(door.forward(p.op, x, y, count, lanes)).toEqual(alone);
      }),
      runs,
    );
  });

  test("add to the adjoints, element by element in ascending order", () => {
    fc.assert(
      fc.property(scenesOf(p, door), (scene) => {
        const { gx, gy } = adjointOf(scene, 0.5, { x: true, y: true });
        expect(gx).toEqual(addedUp(scene, scene.x, "x", 0.5));
        if (scene.y) expect(gy).toEqual(addedUp(scene, scene.y, "y", 0.5));
      }),
      runs,
    );
  });

  test("begin the adjoints that hold no sum yet", () => {
    const either = fc.record({ x: fc.boolean(), y: fc.boolean() });
    // A kernel that passes nothing on is not asked to.
    const fresh = p.adjoint === "none" ? fc.constant({ x: false, y: false }) : either;
    fc.assert(
      fc.property(scenesOf(p, door), either, fresh, (scene, active, isFresh) => {
        const { gx, gy } = adjointOf(scene, 0.5, active, isFresh);
        const start = (which: "x" | "y") => (isFresh[which] ? 0 : 0.5);
        if (active.x) expect(gx).toEqual(addedUp(scene, scene.x, "x", start("x")));
        if (active.y && scene.y) expect(gy).toEqual(addedUp(scene, scene.y, "y", start("y")));
      }),
      runs,
    );
  });

  test("leave an inactive operand alone and the other one's bits unchanged", () => {
    fc.assert(
      fc.property(scenesOf(p, door), fc.boolean(), (scene, isX) => {
        const both = adjointOf(scene, 0.5, { x: true, y: true });
        const one = adjointOf(scene, 0.5, { x: isX, y: !isX });
        expect(one).toEqual({ gx: isX ? both.gx : null, gy: isX ? null : both.gy });
      }),
      runs,
    );
  });
});

const binaryCases = cases.filter(({ p }) => p.kind === "binary");

describe.each(binaryCases)("the adjoint of $name in $precision, x with itself", ({ p, door }) => {
  test("adds twice to the one buffer", () => {
    fc.assert(
      fc.property(scenesOf(p, door), (mixed) => {
        const scene = { ...mixed, count: mixed.x.values.length, y: mixed.x };
        const g = mixed.g.slice(0, scene.count);
        const z = { values: door.forward(p.op, scene.x, scene.x, scene.count, scene.lanes) };
        const gx = grid(scene.count, scene.lanes, () => 0.5);
        const shared = door.adjoint(p.op, { x: scene.x, y: scene.x, z, g, gx, gy: "x" });
        const expected = grid(scene.count, scene.lanes, (e, lane) => {
          const alone = runAlone(p, door, { ...scene, g }, e, lane);
          return door.round(door.round(0.5 + alone.x) + alone.y);
        });
        expect(shared.gx).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

describe.each(Object.values(doors))("slopes that a forward kernel leaves in $precision", (door) => {
  const alone = (op: number, x: readonly number[]) =>
    door.forward(op, { values: [x] }, undefined, 1, x.length)[0];
  const far = [8193, -9000.5, 1e9, Number.POSITIVE_INFINITY, Number.NaN];
  /** Numbers about halfway between multiples of π/2, where both neighbours are as near. */
  const halves = Array.from({ length: 3000 }, (_, n) =>
    [-2, -1, 0, 1, 2].map((ulps) => {
      const bits = new Int32Array(new Float32Array([(n + 0.5) * (Math.PI / 2)]).buffer);
      bits[0] = (bits[0] ?? 0) + ulps;
      return new Float32Array(bits.buffer)[0] ?? 0;
    }),
  ).flat();

  test.each([
    ["sin", Op.sin, Op.cos],
    ["cos", Op.cos, Op.sin],
  ])("of %s are the bits that the slope has alone, and the adjoint's", (name, op, other) => {
    const sign = name === "cos" ? -1 : 1;
    const check = (x: readonly number[]) => {
      const { values, slopes, before, after } = door.forwardWithSlope(op, x);
      const slope = alone(other, x);
      expect(values).toEqual(alone(op, x));
      expect(slopes).toEqual(slope);
      expect(before).toEqual(slope?.map((s) => 0 + sign * s));
      expect(after).toEqual(before);
    };
    for (let i = 0; i < halves.length; i += 500) {
      const some = halves.slice(i, i + 500);
      check([...some, ...some.map((x) => -x)]);
    }
    fc.assert(
      fc.property(
        fc.array(
          fc
            .oneof(
              fc.double({ min: -8200, max: 8200, noNaN: true }),
              fc.constantFrom(0, -0, ...far),
            )
            .map((x) => door.round(x)),
          { minLength: 1, maxLength: 9 },
        ),
        check,
      ),
    );
  });
});

const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;

type Corner = readonly [keyof typeof Op, Pair, number, number, number, number?];

/** name, operands, g → value, what x receives, what y receives. */
const corners: readonly Corner[] = [
  ["abs", [0, 0], infinity, 0, 0],
  ["abs", [-0, 0], 1, 0, 0],
  ["abs", [-2, 0], 3, 2, -3],
  ["min", [1, 1], 2, 1, 2, 0],
  ["max", [1, 1], 2, 1, 2, 0],
  ["min", [1, 2], nan, 1, nan, 0],
  ["max", [1, 2], infinity, 2, 0, infinity],
  ["min", [2, 1], nan, 1, 0, nan],
  ["max", [2, 1], nan, 2, nan, 0],
  ["min", [nan, 1], 0, nan, 0, 0],
  ["min", [1, nan], 0, nan, 0, 0],
  ["max", [nan, 1], 0, nan, 0, 0],
  ["pow", [0, 2], 1, 0, 0, 0],
  ["pow", [0, 2], infinity, 0, nan, 0],
  ["pow", [0, 0], infinity, 1, 0, -infinity],
  ["pow", [0, 1], 3, 0, 3, 0],
  ["pow", [0, 0.5], 1, 0, infinity, 0],
  ["pow", [0, 0], 1, 1, 0, -infinity],
  ["pow", [-2, 3], 1, -8, 12, nan],
  ["sqrtClamp", [-1, 0], infinity, 1e-4, 0],
  ["sqrtClamp", [0, 0], 1, 1e-4, 0],
  ["sqrtClamp", [4, 0], 1, 2, 0.25],
  ["sqrtClamp", [nan, 0], 1, nan, nan],
  ["logClamp", [0, 0], nan, Math.log(1e-8), 0],
  ["logClamp", [-3, 0], 1, Math.log(1e-8), 0],
  ["logClamp", [2, 0], 1, Math.LN2, 0.5],
  ["logClamp", [nan, 0], 1, nan, nan],
  ["div", [1, 0], 1, infinity, infinity, -infinity],
  ["sqrt", [-1, 0], 1, nan, nan],
  ["quotient", [-1, 3], 1, 0, 0, 0],
  ["remainder", [-7, 2], 1, -1, 1, 3],
  ["modulo", [-7, 2], 1, 1, 1, 4],
  ["modulo", [7, -2], 1, -1, 1, 4],
];

describe("corners", () => {
  const titled = corners.map((corner) => ({
    title: `(${corner[0]} ${corner[1].join(" ")}) with g = ${corner[2]}`,
    corner,
  }));

  test.each(titled)("$title", ({ corner: [name, at, g, value, toX, toY] }) => {
    const p = elementwise.find((primitive) => primitive.name === name);
    if (!p) throw new Error(`no primitive ${name}`);
    const reference = adjointAt(p, g, at);
    expectClose(p.forward(numbers, { x: at[0], y: at[1] }), value, 1e-15, "reference");
    expectClose(reference.x, toX, 1e-15, "reference's x");
    if (toY !== undefined) expectClose(reference.y ?? 0, toY, 1e-15, "reference's y");
    for (const precision of precisions) {
      const { z, gx, gy } = runLanes(p, doors[precision], rounded(doors[precision], [at]), [g]);
      expectClose(z[0] ?? 0, value, tolerance[precision], `${precision} value`);
      expectClose(gx[0] ?? 0, toX, tolerance[precision], `${precision} x`);
      if (toY !== undefined) expectClose(gy[0] ?? 0, toY, tolerance[precision], `${precision} y`);
    }
  });

  test.each([
    ["f32", 2 ** 24],
    ["f64", 2 ** 31],
  ] as const)("integer division is exact in %s up to %d", (precision, limit) => {
    const integer = fc.integer({ min: -limit, max: limit - 1 });
    const divisor = fc.oneof(integer, fc.integer({ min: -9, max: 9 })).filter((n) => n !== 0);
    fc.assert(
      fc.property(integer, divisor, (x, y) => {
        const [a, b] = [BigInt(x), BigInt(y)];
        const modulo = ((a % b) + b) % b;
        const run = (name: "quotient" | "remainder" | "modulo") =>
          doors[precision].forward(Op[name], { values: [[x]] }, { values: [[y]] }, 1, 1)[0]?.[0];
        expect(run("quotient")).toBe(Number(a / b));
        expect(run("remainder")).toBe(Number(a % b));
        expect(run("modulo")).toBe(Number(modulo));
      }),
      { numRuns: 1000 },
    );
  });
});

const predicateCases = precisions.flatMap((precision) =>
  predicates.map((p) => ({ name: p.scheme, p, precision, door: doors[precision] })),
);

describe.each(predicateCases)("($name) in $precision", ({ p, precision, door }) => {
  const expectMasks = (pairs: readonly Pair[]) => {
    const y = p.kind === "binaryPredicate" ? lanesOf(pairs, 1) : undefined;
    const masks = door.test(p.op, lanesOf(pairs, 0), y, pairs.length);
    const holds = pairs.map(([x, at]) => testOracles[p.name]?.(x, at) ?? expect.fail("no oracle"));
    const digit = (isTrue: boolean) => (isTrue ? "f" : "0").repeat(precision === "f32" ? 8 : 16);
    expect(masks).toEqual(holds.map(digit));
    const reference = pairs.map(([x, at]) => p.forward(numbers, { x, y: at }));
    expect(reference).toEqual(holds);
  };

  test("makes a full mask where the test holds and an empty one elsewhere", () => {
    const number = fc.oneof(
      fc.double(),
      fc.integer({ min: -9, max: 9 }),
      fc.constantFrom(...p.params.x.edges),
    );
    const pairs = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 9 });
    fc.assert(fc.property(pairs, (list) => expectMasks(rounded(door, list))));
    expectMasks(rounded(door, edgesOf(p)));
  });
});

describe("the registry", () => {
  test("numbers ops densely, in ranges by kind", () => {
    expect(primitives.map((p) => p.op)).toEqual([...primitives.keys()]);
    const ranges = kinds.map((kind) => opRanges[kind]);
    expect(ranges[0]?.first).toBe(0);
    ranges.slice(1).forEach((range, i) => {
      expect(range.first).toBe((ranges[i]?.last ?? 0) + 1);
    });
    for (const p of primitives) {
      expect(p.op).toBeGreaterThanOrEqual(opRanges[p.kind].first);
      expect(p.op).toBeLessThanOrEqual(opRanges[p.kind].last);
    }
  });

  test("knows of each primitive what its declaration says", () => {
    expect([...registered.keys()].sort()).toEqual([...primitiveByName.keys()].sort());
    for (const [name, { op, kind, arity, scheme }] of registered)
      expect(primitiveByName.get(name), name).toMatchObject({ op, kind, arity, scheme });
  });

  test("gives every name to one primitive", () => {
    const surface = primitives.flatMap((p) => (p.scheme ? [p.scheme, ...p.aliases] : []));
    expect(new Set(surface).size).toBe(surface.length);
    expect(primitiveByName.size).toBe(surface.length);
    expect(new Set(primitives.map((p) => p.name)).size).toBe(primitives.length);
    expect(primitiveByName.get("expt")).toBe(primitiveByName.get("pow"));
    expect(primitiveByName.has("sqrtClamp")).toBe(false);
  });

  test("has an oracle for every element-wise primitive and every test", () => {
    expect(elementwise.filter((p) => !oracles[p.name]).map((p) => p.name)).toEqual([]);
    expect(predicates.filter((p) => !testOracles[p.name]).map((p) => p.name)).toEqual([]);
  });

  test("records nothing exactly where the oracle knows no slope", () => {
    const silent = elementwise.filter((p) => p.adjoint === "none").map((p) => p.name);
    const flat = elementwise.filter((p) => !oracles[p.name]?.slopes).map((p) => p.name);
    expect(silent).toEqual(flat);
  });
});

describe("the generator", () => {
  const files = generatedFiles();

  test.each(Object.keys(files))("leaves %s as it is committed", (name) => {
    const committed = readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");
    expect(committed === files[name], "stale: run `npm run gen`").toBe(true);
  });

  test("binds what an expression uses twice", () => {
    const kernel = files["packages/core/wasm/generated/binary.ts"]?.split("function divAdjoint")[1];
    const loop = kernel?.split("for (let left")[1]?.split("} else if")[0] ?? "";
    expect(loop.match(/v128\.div/g)).toHaveLength(1);
  });

  test("writes formulas for the manual", () => {
    const manual = files["docs/primitives.md"] ?? "";
    expect(manual).toContain("| √x | x: ½·g/z |");
    expect(manual).toContain("| x^y | x: g·y·x^(y − 1) if y ≠ 0, else 0;");
  });
});
