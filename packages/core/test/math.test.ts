/**
 * The transcendental kernels against oracles that share nothing with them: a high-precision one in
 * long integers (test/math/oracle.ts) for both precisions, and JavaScript's Math, in double, for
 * many more f32 lanes. Bounds are those of test/math/bounds.ts.
 */
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { abs, fromNumber, neg, one } from "./math/big.js";
import { atan2Bound, powBound, powerBound, reflectionBound, unaryBounds } from "./math/bounds.js";
import {
  applyKernel,
  type BinaryName,
  binaryNames,
  core,
  type Real,
  type UnaryName,
  unaryNames,
} from "./math/door.js";
import { binaryEdges, gcdCases, unaryEdges } from "./math/edges.js";
import { digammaFacts, erfFacts, lgammaFacts } from "./math/facts.js";
import * as oracle from "./math/oracle.js";
import { anyBits, randomOf, samplesOf } from "./math/samples.js";
import { ulpsBetween } from "./math/ulp.js";

const reals: Real[] = ["f32", "f64"];
const roundTo = (real: Real) => (real === "f32" ? Math.fround : (x: number) => x);

/** Whether x lies where the function is finite and real. */
function inDomain(name: UnaryName, x: number): boolean {
  if (name === "log") return x > 0;
  if (name === "log1p") return x > -1;
  if (name === "asin" || name === "acos") return Math.abs(x) <= 1;
  if (name === "lgamma" || name === "digamma") return x > 0 || !Number.isInteger(x);
  return true;
}

/** Where a reflection makes the result, whose terms cancel next to the zeros. */
function isReflected(real: Real, name: UnaryName, x: number): name is "lgamma" | "digamma" {
  if (real === "f32") return false;
  return (name === "lgamma" && x <= -0.5) || (name === "digamma" && x < 0);
}

interface Worst {
  ulps: number;
  at: string;
}

const worse = (worst: Worst, ulps: number, at: string): Worst =>
  ulps > worst.ulps ? { ulps, at } : worst;

describe.each(reals)("%s kernels", (real) => {
  test.each(unaryNames)("%s keeps its bound", (name) => {
    // The oracles of the gamma functions are ten times as slow as the others.
    const count = name === "lgamma" || name === "digamma" ? 100 : 500;
    const samples = samplesOf(real, name, count).filter((x) => inDomain(name, x));
    const got = applyKernel(real, name, samples);
    let worst: Worst = { ulps: 0, at: "" };
    for (const [i, x] of samples.entries()) {
      const argument = fromNumber(x);
      const want = oracle[name](argument);
      const value = got[i] ?? Number.NaN;
      const inBounds = isReflected(real, name, x)
        ? ulpsBetween(real, value, want, oracle.reflectionSize(name, argument)) / reflectionBound
        : ulpsBetween(real, value, want) / unaryBounds[name][real];
      worst = worse(worst, inBounds, `${name}(${x}) = ${value}`);
    }
    expect(worst.ulps, `in bounds: ${worst.at}`).toBeLessThanOrEqual(1);
  });

  test("atan2 keeps its bound", () => {
    const random = randomOf(31);
    const draw = () => roundTo(real)(random() < 0.5 ? anyBits(real, random) : random() * 8 - 4);
    const pairs = Array.from({ length: 1500 }, () => [draw(), draw()] as const).filter(
      ([y, x]) => Number.isFinite(y) && Number.isFinite(x) && y !== 0 && x !== 0,
    );
    const got = applyKernel(
      real,
      "atan2",
      pairs.map(([y]) => y),
      pairs.map(([, x]) => x),
    );
    let worst: Worst = { ulps: 0, at: "" };
    for (const [i, [y, x]] of pairs.entries()) {
      const want = oracle.atan2(fromNumber(y), fromNumber(x));
      worst = worse(
        worst,
        ulpsBetween(real, got[i] ?? Number.NaN, want),
        `atan2(${y}, ${x}) = ${got[i]}`,
      );
    }
    expect(worst.ulps, worst.at).toBeLessThanOrEqual(atan2Bound[real]);
  });

  test("pow keeps its bound for every kind of exponent", () => {
    const pairs = powPairs(real, 400);
    const got = applyKernel(
      real,
      "pow",
      pairs.map(([x]) => x),
      pairs.map(([, y]) => y),
    );
    let worst: Worst = { ulps: 0, at: "" };
    for (const [i, [x, y]] of pairs.entries()) {
      const size = oracle.pow(abs(fromNumber(x)), fromNumber(y));
      const want = x < 0 && y % 2 !== 0 ? neg(size) : size;
      const few = Number.isInteger(y) && Math.abs(y) <= 1024;
      const bound = few ? powerBound(real, y) : powBound[real];
      const ulps = ulpsBetween(real, got[i] ?? Number.NaN, want) / bound;
      worst = worse(worst, ulps, `pow(${x}, ${y}) = ${got[i]}`);
    }
    expect(worst.ulps, `in bounds: ${worst.at}`).toBeLessThanOrEqual(1);
  });

  test("small integral powers are the products", () => {
    const round = roundTo(real);
    const random = randomOf(5);
    const x = Array.from({ length: 64 }, () => round(random() * 20 - 10));
    const of = (y: number) =>
      Array.from(
        applyKernel(
          real,
          "pow",
          x,
          x.map(() => y),
        ),
      );
    expect(of(0)).toEqual(x.map(() => 1));
    expect(of(1)).toEqual(x);
    expect(of(2)).toEqual(x.map((value) => round(value * value)));
    expect(of(-1)).toEqual(x.map((value) => round(1 / value)));
    const whole = Array.from({ length: 20 }, (_, n) => n - 10);
    const cubes = Array.from(
      applyKernel(
        real,
        "pow",
        whole,
        whole.map(() => 3),
      ),
    );
    expect(cubes).toEqual(whole.map((n) => n * n * n));
  });

  test.each([...unaryNames])("%s has the special values of C99", (name) => {
    const cases = unaryEdges[name];
    const got = applyKernel(
      real,
      name,
      cases.map(([x]) => x),
    );
    expect(Array.from(got)).toEqual(cases.map(([, want]) => roundTo(real)(want)));
  });

  test.each(["atan2", "pow"] as const)("%s has the special values of C99", (name) => {
    const cases = binaryEdges[name];
    const got = applyKernel(
      real,
      name,
      cases.map(([x]) => x),
      cases.map(([, y]) => y),
    );
    for (const [i, [x, y, want]] of cases.entries()) {
      expect(got[i], `${name}(${x}, ${y})`).toBe(roundTo(real)(want));
    }
  });

  test("gcd is exact, and NaN for what is no integer", () => {
    const got = applyKernel(
      real,
      "gcd",
      gcdCases.map(([x]) => x),
      gcdCases.map(([, y]) => y),
    );
    for (const [i, [x, y, want]] of gcdCases.entries())
      expect(got[i], `gcd(${x}, ${y})`).toBe(want);
  });

  test.each([...unaryNames, ...binaryNames])(
    "%s computes a lane whatever its neighbours",
    (name) => {
      const count = 120;
      const { x, y } = lanesOf(real, name, count);
      const width = real === "f32" ? 4 : 2;
      const alone = spread(x, width, () => 1);
      const aloneY = spread(y, width, () => 1);
      const plain = applyKernel(real, name, alone, aloneY);
      const wild = [Number.NaN, Number.POSITIVE_INFINITY, 1e30, -1e-40, 0, -7.5, 1e7, 3];
      const among = applyKernel(
        real,
        name,
        spread(x, width, (i) => wild[i % wild.length] ?? 0),
        spread(y, width, (i) => wild[(3 * i + 1) % wild.length] ?? 0),
      );
      const packed = applyKernel(real, name, x, y);
      for (let i = 0; i < count; i++) {
        const at = i * width + (i % width);
        const note = `${name}(${x[i]}, ${y[i]})`;
        expect(among[at], note).toBe(plain[at]);
        expect(packed[i], note).toBe(plain[at]);
      }
    },
  );
});

/** x[i] in lane i mod width of vector i, and other numbers around it. */
function spread(x: number[], width: number, other: (index: number) => number): number[] {
  return x.flatMap((value, i) =>
    Array.from({ length: width }, (_, lane) => (lane === i % width ? value : other(i + lane))),
  );
}

function lanesOf(real: Real, name: UnaryName | BinaryName, count: number) {
  const random = randomOf(77);
  const draw = (i: number): number => {
    if (i % 3 === 0) return anyBits(real, random);
    return i % 3 === 1 ? random() * 12 - 6 : Math.round(random() * 40 - 20);
  };
  const canonical = (value: number) => (Number.isNaN(value) ? Number.NaN : roundTo(real)(value));
  const x = Array.from({ length: count }, (_, i) => canonical(name === "gcd" ? 6 * i : draw(i)));
  const y = Array.from({ length: count }, (_, i) =>
    canonical(name === "gcd" ? 4 * i : draw(i + 1)),
  );
  return { x, y };
}

/** Bases and exponents whose power lies near the range: integral, large integral, and fractions. */
function powPairs(real: Real, count: number): (readonly [number, number])[] {
  const random = randomOf(13);
  const round = roundTo(real);
  const most = real === "f32" ? 100 : 740;
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0; i < count; i++) {
    const base = round(Math.abs(anyBits(real, random)));
    if (Number.isFinite(base) && base > 0 && base !== 1) {
      pairs.push([base, round(((random() * 2 - 1) * most) / Math.log(base))]);
    }
    pairs.push([round(Math.exp(random() * 4 - 2)), round(random() * 20 - 10)]);
    const sign = random() < 0.5 ? -1 : 1;
    pairs.push([round(sign * Math.exp(random() * 2 - 1)), Math.round(random() * 80 - 40)]);
    pairs.push([round(sign * Math.exp((random() - 0.5) / 8)), Math.round(random() * 8000 - 4000)]);
    pairs.push([round(1 + (random() - 0.5) * 2 ** -20), round((random() - 0.5) * 2 ** 26)]);
  }
  return pairs.filter(([, y]) => Number.isFinite(y));
}

describe("f32 kernels in bulk", () => {
  const functions: Partial<Record<UnaryName, (x: number) => number>> = {
    exp: Math.exp,
    expm1: Math.expm1,
    log: Math.log,
    log1p: Math.log1p,
    sin: Math.sin,
    cos: Math.cos,
    tan: Math.tan,
    asin: Math.asin,
    acos: Math.acos,
    atan: Math.atan,
    sinh: Math.sinh,
    cosh: Math.cosh,
    tanh: Math.tanh,
  };
  const names = Object.keys(functions) as UnaryName[];

  test.each(names)("%s agrees with JavaScript's double to its bound", (name) => {
    const inputs = samplesOf("f32", name, 20000).filter((x) => inDomain(name, x));
    const got = applyKernel("f32", name, inputs);
    const bound = unaryBounds[name].f32;
    const wrong = inputs.filter((x, i) => {
      const want = functions[name]?.(x) ?? Number.NaN;
      if (Math.abs(want) >= 2 ** 127) return false;
      const ulp = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(want))), -126) - 23);
      // log2 may round up at the very end of a binade, where a double errs by far less.
      return Math.abs((got[i] ?? Number.NaN) - want) > 1.001 * bound * ulp;
    });
    expect(wrong).toEqual([]);
  });

  test("a coarse sweep over all bit patterns stays within the bounds", () => {
    const output = execFileSync(
      process.execPath,
      [`${core}/scripts/ulp-sweep.mjs`, "--stride", "65521", "--json"],
      { encoding: "utf8" },
    );
    const lines = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { name: UnaryName; ulp: string });
    expect(lines.map(({ name }) => name)).toEqual([...unaryNames]);
    for (const { name, ulp } of lines) {
      expect(Number(ulp), name).toBeLessThanOrEqual(unaryBounds[name].f32);
    }
  });
});

describe("the oracle", () => {
  const facts = { erf: erfFacts, lgamma: lgammaFacts, digamma: digammaFacts } as const;

  test.each(["erf", "lgamma", "digamma"] as const)(
    "agrees with values of %s from libquadmath",
    (name) => {
      for (const [x, want] of facts[name]) {
        expect(
          ulpsBetween("f64", want, oracle[name](fromNumber(x))),
          `${name}(${x})`,
        ).toBeLessThanOrEqual(0.5);
      }
    },
  );

  test("agrees with JavaScript where that has the function", () => {
    const names = ["exp", "log", "sin", "cos", "atan", "tanh", "expm1", "log1p", "cosh"] as const;
    for (const name of names) {
      for (const x of [0.1, 0.75, 1.5, 3, 20.25]) {
        const ulps = ulpsBetween("f64", Math[name](x), oracle[name](fromNumber(x)));
        expect(ulps, `${name}(${x})`).toBeLessThanOrEqual(2);
      }
    }
    expect(ulpsBetween("f64", 2, oracle.pow(fromNumber(4), fromNumber(0.5)))).toBeLessThan(1e-9);
    expect(oracle.log(one).m).toBe(0n);
  });
});
