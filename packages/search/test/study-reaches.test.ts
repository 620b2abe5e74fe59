/**
 * Every option of a search reaches the study, and from there the proposers, the runner and the archive, as
 * it was given; and every refusal says exactly what is wrong and what to do.
 */

import type { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import type { SearchOptions } from "../src/index.js";
import { briefFor, makeStudy, type Study } from "../src/study.js";

const column = (rows: number, of: (row: number) => number) =>
  Array.from({ length: rows }, (_, row) => of(row));
const data = {
  x: column(20, (row) => row),
  z: column(20, (row) => row * row + 0.25),
  y: column(20, (row) => 2 * row + 1),
};
const studyOf = (more: object = {}) =>
  makeStudy({ data, target: "y", ...more } as unknown as SearchOptions);

describe("an option reaches the study by itself:", () => {
  const recipe = {
    optimiser: "adam",
    adam: { rate: 0.5, beta1: 0.1, beta2: 0.2, epsilon: 1e-3 },
    rungs: [
      { restarts: 2, steps: 3, share: 1 },
      { restarts: 5, steps: 7, share: 0.125 },
    ],
    startDeviation: 0.75,
  };
  const { limits } = studyOf();
  test.each<[object, Partial<Record<keyof Study, unknown>>]>([
    [{ seed: 9 }, { seed: 9 }],
    [{ complexityMax: 17 }, { complexityMax: 17 }],
    [{ precision: "f32" }, { precision: "f32" }],
    [{ domain: "clamp" }, { domain: "clamp" }],
    [{ description: "a pendulum" }, { description: "a pendulum" }],
    [{ epoch: 5 }, { epoch: 5 }],
    [{ slots: 6 }, { slots: 6 }],
    [{ lag: 7 }, { lag: 7 }],
    [{ islands: 8 }, { islands: 8 }],
    [{ keep: "scored" }, { keep: "scored" }],
    [{ keep: "front" }, { keep: "front" }],
    [{ keep: "all" }, {}],
    [{ operators: ["sin", "+"] }, { operators: ["sin", "+"] }],
    [{ operators: [] }, { operators: [] }],
    [{ recipe }, { recipe }],
    [
      { recipe: { optimiser: "adam", adam: recipe.adam } },
      { recipe: { ...studyOf().recipe, optimiser: "adam", adam: recipe.adam } },
    ],
    ...(["optimiser", "rungs", "startDeviation"] as const).map(
      (name): [object, Partial<Record<keyof Study, unknown>>] => [
        { recipe: { [name]: recipe[name] } },
        { recipe: { ...studyOf().recipe, [name]: recipe[name] } },
      ],
    ),
    ...Object.keys(limits).map((name, i): [object, Partial<Record<keyof Study, unknown>>] => [
      // A machine has 4 MiB at least.
      { limits: { [name]: 2 ** 22 + i } },
      { limits: { ...limits, [name]: 2 ** 22 + i } },
    ]),
    [{ inputs: ["z"] }, { inputs: ["z"] }],
    [{ inputs: ["z", "x"] }, { inputs: ["z", "x"] }],
    [{ target: "z" }, { target: "z", inputs: ["x", "y"] }],
  ])("%j", (given, changed) => {
    const rows = ["train", "heldOut"] as const;
    const without = (study: Study) =>
      Object.fromEntries(Object.entries(study).filter(([name]) => !rows.includes(name as "train")));
    const study = studyOf({ holdOut: [1, 7, 19], ...given });
    expect(without(study)).toEqual({ ...without(studyOf()), ...changed });
    // The rows are the same whatever else is asked for, and hold what is used.
    for (const part of rows)
      expect(study[part]).toEqual(
        Object.fromEntries(
          [...study.inputs, study.target].map((name) => [
            name,
            Float64Array.from(
              data[name as "x"].filter(
                (_, row) => [1, 7, 19].includes(row) === (part === "heldOut"),
              ),
            ),
          ]),
        ),
      );
  });

  test("what does not concern a study changes nothing in it", () => {
    const other = {
      ...{ workers: 3, archive: "a.db", resume: true, command: "ndvm", budget: { fits: 1 } },
      ...{ signal: new AbortController().signal, proposers: [] },
    };
    expect(studyOf(other)).toEqual(studyOf());
  });
});

describe("a proposer is told", () => {
  test("of every option that is for it", () => {
    const { seed: own, ...brief } = briefFor(
      studyOf({
        ...{ operators: ["+", "exp"], islands: 3, complexityMax: 12, description: "a spring" },
        ...{ holdOut: [0, 1], inputs: ["z", "x"] },
      }),
      0,
    );
    expect(brief).toMatchObject({
      ...{ operators: ["+", "exp"], islands: 3, complexityMax: 12, description: "a spring" },
      rows: 18,
    });
    expect(brief.inputs.map(({ name }) => name)).toEqual(["z", "x"]);
    expect(brief.target.name).toBe("y");
    expect(Object.keys(brief.sample[0] as object)).toEqual(["z", "x", "y"]);
    const seeds = [0, 1, 2].map((place) => briefFor(studyOf(), place).seed);
    expect(new Set([...seeds, own, briefFor(studyOf({ seed: 1 }), 0).seed])).toHaveProperty(
      "size",
      4,
    );
    expect(own).toBe(seeds[0]);
  });

  test("the step of a column's values, of held-out rows too, and none of the target", () => {
    const latticeOf = (x: readonly number[], holdOut: readonly number[]) => {
      const { inputs, target } = briefFor(
        makeStudy({ data: { x, y: data.y }, target: "y", holdOut }),
        0,
      );
      expect(Object.keys(target).sort()).toEqual(["deviation", "max", "mean", "min", "name"]);
      return inputs[0]?.lattice;
    };
    const even = column(20, (row) => 2 * row);
    expect(latticeOf(even, [3, 4])).toMatchObject({ step: 2 });
    const odd = even.map((value, row) => (row === 4 ? 7 : value));
    expect(latticeOf(odd, [3, 4])).toMatchObject({ step: 1 });
    expect(latticeOf(odd, [3, 5])).toMatchObject({ step: 1 });
    const scattered = even.map((value, row) => (row === 4 ? Math.PI : value));
    expect(latticeOf(scattered, [3, 4])).toBeUndefined();
  });

  test.each([2, 11, 12, 13, 23, 24, 25, 36, 100])(
    "some of %i rows to train on, as far apart as they can be",
    (rows) => {
      const all = column(rows + 2, (row) => row);
      const study = makeStudy({
        ...{ data: { x: all, y: all.map((x) => x % 7) }, target: "y", holdOut: [0, 1] },
      });
      const step = Math.max(1, Math.floor(rows / 12));
      expect(briefFor(study, 0).sample).toEqual(
        column(Math.min(12, rows), (i) => 2 + i * step).map((x) => ({ x, y: x % 7 })),
      );
    },
  );
});

describe("a study is refused in words that say why, and what to do:", () => {
  const nothing = undefined as unknown as object;
  test.each<[object, string, string]>([
    [
      { data: nothing },
      "a search needs data",
      "give columns by name: data: { x: [1, 2], y: [3, 4] }",
    ],
    [{ data: null }, "a search needs data", "give columns by name: data: { x: [1, 2], y: [3, 4] }"],
    [{ target: "w" }, "the data have no column w to predict", "the columns are x, z, y"],
    [
      { target: nothing },
      "the data have no column undefined to predict",
      "the columns are x, z, y",
    ],
    [
      { target: "constructor" },
      "the data have no column constructor to predict",
      "the columns are x, z, y",
    ],
    [{ inputs: ["x", "w"] }, "the data have no column w", "the columns are x, z, y"],
    [{ inputs: "xz" }, "the option inputs is xz", "it must be a list of columns"],
    [{ inputs: ["toString"] }, "the data have no column toString", "the columns are x, z, y"],
    [{ inputs: ["x", "y"] }, "y is both target and input", "leave it out of the inputs"],
    [{ inputs: [] }, "a search needs an input", "give a column besides the target"],
    [{ data: { y: data.y } }, "a search needs an input", "give a column besides the target"],
    [
      { data: { ...data, z: data.z.slice(1) } },
      "column z has 19 rows, the target has 20",
      "columns must be of one length",
    ],
    [
      { data: { ...data, y: data.y.map(() => 4) } },
      "y is 4 in every row: there is nothing to explain",
      "choose another target",
    ],
    [
      { holdOut: [0] },
      "19 rows are left to train on and 1 is held out",
      "give more rows, or hold out another share of them; both parts need 2 at least",
    ],
    [
      { holdOut: column(19, (row) => row) },
      "1 row is left to train on and 19 are held out",
      "give more rows, or hold out another share of them; both parts need 2 at least",
    ],
    [
      { holdOut: column(20, (row) => row) },
      "0 rows are left to train on and 20 are held out",
      "give more rows, or hold out another share of them; both parts need 2 at least",
    ],
    [{ holdOut: [1, 20] }, "the option holdOut is 20", "it must be a whole number from 0 to 19"],
    [{ holdOut: 1 }, "the option holdOut is 1", "it is a share between 0 and 1, or rows"],
    [{ keep: "some" }, "the option keep is some", "it is one of all, scored, front"],
    [{ operators: ["+", "sinn"] }, "there is no operator sinn", "did you mean sin?"],
    [
      { operators: ["whatever-this-is"] },
      "there is no operator whatever-this-is",
      "name procedures of the language, if, let or loop",
    ],
    [
      { epoch: 64, slots: 128, lag: 65 },
      "epoch × slots × lag is 532480",
      "so many candidates would be under way at once; it may be 524288",
    ],
    [{ recipe: { rungs: [] } }, "the recipe has no rungs", "give one rung at least"],
    [
      {
        recipe: {
          rungs: [
            { restarts: 1, steps: 1, share: 1 },
            { restarts: 1, steps: 1, share: 2 },
          ],
        },
      },
      "the option recipe.rungs[1].share is 2",
      "it is above 0 and at most 1",
    ],
    [
      { recipe: { rungs: [{ restarts: 0, steps: 1, share: 1 }] } },
      "the option recipe.rungs[0].restarts is 0",
      "it must be a whole number from 1 to 1000000",
    ],
    [
      { recipe: { startDeviation: 0 } },
      "the option recipe.startDeviation is 0",
      "it must be a number above 0",
    ],
    ...["screenSteps", "fitSteps", "sourceLength", "nesting", "parameters", "memory"].map(
      (name): [object, string, string] => [
        { limits: { [name]: 0 } },
        `the option limits.${name} is 0`,
        "it must be a whole number from 1 to 4294967296",
      ],
    ),
  ])("%j", (given, message, help) => {
    let refusal: NdvmError | undefined;
    try {
      studyOf(given);
    } catch (error) {
      refusal = error as NdvmError;
    }
    expect([refusal?.code, refusal?.message, refusal?.help]).toEqual(["E-OPTION", message, help]);
  });
});

test("rates of adam in a recipe for another optimiser were ignored without a word", () => {
  const adam = { rate: 0.5 };
  for (const optimiser of ["lm", "lbfgs", undefined] as const)
    expect(() => studyOf({ recipe: { adam, ...(optimiser && { optimiser }) } })).toThrow(
      "recipe.adam needs a fit by adam",
    );
});
