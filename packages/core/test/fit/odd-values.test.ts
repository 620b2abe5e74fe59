/**
 * Values that no option takes, as untyped clients may pass them: objects without a text, symbols, what holds itself.
 * Each is refused as what it is, or does no harm; none is an error of the language's own.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, fitMany, NdvmError } from "../../src/index.js";
import { machine } from "./support.js";

const circle: Record<string, unknown> = {};
circle["a"] = circle;
const ring: unknown[] = [];
ring.push(ring);

const odd: Readonly<Record<string, unknown>> = {
  ...{ null: null, object: {}, "an object without a text": Object.create(null) },
  ...{ "a symbol": Symbol("s"), "a big integer": 1n, "a map": new Map(), "a function": () => 1 },
  ...{ "an object in itself": circle, "a list in itself": ring, "a text": "abc", NaN: Number.NaN },
  ...{ "a number": 7, true: true, "no list": [], "a list of symbols": [Symbol("s")] },
  ...{ "a list of objects without a text": [Object.create(null)] },
};

const base: FitOptions = { data: { x: [1, 2, 3, 4], y: [1, 2, 3, 5] }, target: "y" };
const groups = { by: "g", params: ["a"] };
const grouped: FitOptions = { ...base, data: { ...base.data, g: [1, 1, 2, 2] } };
const line = "(+ a (* b x))";
const program = machine.load(line);
const sum = machine.load("(+ a (vsum x))");
const left = JSON.parse(JSON.stringify(await fit(program, base)));
const cast = <T>(value: unknown): T => value as T;
const fitWith = (options: object, from: FitOptions = base) => fit(program, { ...from, ...options });

/** Takes an odd value somewhere. */
type Takes = (value: unknown) => Promise<unknown>;

const besides: Readonly<Record<string, object>> = {
  huberWidth: { loss: "huber" },
  trials: { loss: "binomial" },
  adam: { optimiser: "adam" },
};
const options: [string, Takes][] =
  "data target params loss huberWidth weights sigma trials groups isNegativeLogLikelihood optimiser restarts seed steps stepsMax chunk timeMax signal onProgress tolerances adam level detail together resume"
    .split(" ")
    .map((name) => [name, (value) => fitWith({ ...besides[name], [name]: value })]);
const specs: [string, Takes][] = ["start", "range", "bounds", "fixed", "scale"].map((name) => [
  `a parameter's ${name}`,
  (value) => fitWith({ params: { a: { [name]: value } } }),
]);
const inner: [string, Takes][] = [
  ...["gradient", "step", "loss"].map((name): [string, Takes] => [
    `tolerances.${name}`,
    (value) => fitWith({ tolerances: { [name]: value } }),
  ]),
  ...["rate", "beta1", "beta2", "epsilon"].map((name): [string, Takes] => [
    `adam.${name}`,
    (value) => fitWith({ optimiser: "adam", adam: { [name]: value } }),
  ]),
  ...["by", "params"].map((name): [string, Takes] => [
    `groups.${name}`,
    (value) => fitWith({ groups: { ...groups, [name]: value } }, grouped),
  ]),
  ...Object.keys(left).map((name): [string, Takes] => [
    `resume.${name}`,
    (value) => fitWith({ resume: { ...left, [name]: value } }),
  ]),
];
const places: [string, Takes][] = [
  ["a parameter", (value) => fitWith({ params: { a: value } })],
  ["a column", (value) => fitWith({ data: { x: value, y: [1, 2, 3, 4] } })],
  ["a target's column", (value) => fitWith({ data: { y: value, x: [1, 2, 3, 4] } })],
  ["weights of a target", (value) => fitWith({ weights: { y: value } })],
  ["data of an objective", (value) => fit(sum, { data: { x: cast(value) } })],
  ["the program", (value) => fit(cast(value), base)],
  ["the options", (value) => fit(program, cast(value))],
  ["the machine of fitMany", (value) => fitMany(cast(value), [line], base)],
  ["the texts of fitMany", (value) => fitMany(machine, cast(value), base)],
  ["a text of fitMany", (value) => fitMany(machine, [cast(value)], base)],
  ["the options of fitMany", (value) => fitMany(machine, [line], cast(value))],
];

describe("an odd value was an error of JavaScript's own", () => {
  test.each([...options, ...specs, ...inner, ...places])("as %s", async (_, take) => {
    for (const [what, value] of Object.entries(odd)) {
      const error = await take(value).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) expect(error, what).toBeInstanceOf(NdvmError);
    }
  });

  test("or nothing at all where a loss was no loss, and a weight none", async () => {
    for (const loss of [Symbol("s"), new Map(), 7, {}])
      await expect(fitWith({ loss })).rejects.toMatchObject({ code: "E-OPTION" });
    await expect(fitWith({ weights: 7 })).rejects.toMatchObject({ code: "E-INPUT" });
    await expect(fitWith({ onProgress: "log" })).rejects.toMatchObject({ code: "E-OPTION" });
    await expect(fitMany(machine, cast({}), base)).rejects.toMatchObject({ code: "E-OPTION" });
  });
});

test("names that tolerances, adam and groups do not know were ignored", async () => {
  const unknown = { code: "E-OPTION", facts: { reason: "unknown" } };
  await expect(fitWith({ tolerances: { steps: 1 } })).rejects.toMatchObject(unknown);
  await expect(fitWith({ optimiser: "adam", adam: { rat: 1 } })).rejects.toMatchObject(unknown);
  await expect(fitWith({ groups: { ...groups, parms: [] } }, grouped)).rejects.toMatchObject(
    unknown,
  );
});
