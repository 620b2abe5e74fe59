/**
 * Names that every object inherits are names like any other, in programs, columns, parameters,
 * groups, searches, resumes and reports. The seed is new in every run and printed; `SEED=… npx vitest
 * run names` runs the same again.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportModel, fit, Machine, own, recordOf } from "@ndvm/core";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const { SEED, NAMES_RUNS } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const numRuns = Number(NAMES_RUNS ?? 12);
console.info(`names: SEED=${seed}`);

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];
const x = Array.from({ length: 24 }, (_, i) => i / 6);

/** Three different ones: an input, and two parameters. */
const three = fc.shuffledSubarray(NAMES, { minLength: 3, maxLength: 3 });

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

test("evaluate and gradient take them as inputs, and need each", () => {
  const property = fc.property(three, ([input = "", a = "", b = ""]) => {
    const program = machine.load(`(+ ${a} (* ${b} ${input}))`);
    const result = program.gradient(
      recordOf([
        [input, 3],
        [a, 5],
        [b, 7],
      ]),
    );
    expect([...result.values]).toEqual([26]);
    expect([a, b, input].map((name) => own(result.gradients, name)?.[0])).toEqual([1, 3, 7]);
    expect(() =>
      program.evaluate(
        recordOf([
          [input, 3],
          [a, 5],
        ]),
      ),
    ).toThrow(`input ${b} has no value`);
    program.dispose();
  });
  fc.assert(property, { seed, numRuns });
});

test("fit finds parameters of these names, and exports them", async () => {
  const property = fc.asyncProperty(three, async ([input = "", a = "", b = ""]) => {
    const source = `(+ ${a} (* ${b} ${input}))`;
    const program = machine.load(source);
    const data = recordOf([
      [input, x],
      ["y", x.map((at) => 2 + 3 * at)],
    ]);
    const { best } = await fit(program, { data, target: "y", seed: 1 });
    expect(own(best.params, a)).toBeCloseTo(2, 6);
    expect(own(best.params, b)).toBeCloseTo(3, 6);
    for (const format of ["scheme", "javascript", "numpy", "json"] as const) {
      expect(exportModel({ program: source, params: best.params }, format)).not.toBe("");
    }
    program.dispose();
  });
  await fc.assert(property, { seed, numRuns });
});

describe("the command line", () => {
  test("fits groups and columns of these names", async () => {
    const rows = x.map((at, i) => `${at},${(i % 2 ? 2 : 5) + 3 * at},${NAMES[i % 2]}`);
    writeFile("names.csv", `__proto__,valueOf,constructor\n${rows.join("\n")}\n`);
    const program = ["-e", "(+ toString (* hasOwnProperty __proto__))"];
    const data = ["--data", "names.csv", "--target", "valueOf", "--group", "constructor:toString"];
    const { code, stdout, stderr } = await ndvmHere(["fit", ...program, ...data, "--json"]);
    expect(stderr).not.toContain("error");
    expect(code).toBe(0);
    expect(stdout).toContain("hasOwnProperty");
  });

  test("searches, goes on, and reports", async () => {
    writeFile("line.csv", `x,y\n${x.map((at) => `${at},${2 + 3 * at}`).join("\n")}\n`);
    const sources = NAMES.flatMap((a) => NAMES.map((b) => `(+ ${a} (* ${b} x))`));
    writeFile("names.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
    const words = ["search", "--data", "line.csv", "--target", "y", "--workers", "0"];
    const replay = [...words, "--proposer", "replay:names.jsonl", "--out", "names.db", "--quiet"];
    expect((await ndvmHere([...replay, "--candidates", "9"])).code).toBe(0);
    expect((await ndvmHere([...replay, "--resume"])).code).toBe(0);
    expect(await ndvmHere(["report", "names.db"])).toMatchObject({ code: 0 });
    const { stdout } = await ndvmHere(["archive", "ls", "names.db", "--all"]);
    for (const name of NAMES) expect(stdout).toContain(name);
  });

  test("a study with columns called max and list could not be shown", async () => {
    const rows = x.map((at, i) => `${at + 1},${i % 5},${2 * (at + 1) + (i % 5)}`);
    writeFile("words.csv", `max,list,y\n${rows.join("\n")}\n`);
    const sources = ["(* max list)", "(* a (sqrt (- max 100)))", "(+ (* a max) list)"];
    writeFile("words.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
    const study = [
      "--data",
      "words.csv",
      "--target",
      "y",
      "--domain",
      "clamp",
      "--out",
      "words.db",
    ];
    const how = ["--workers", "0", "--proposer", "replay:words.jsonl"];
    const found = await ndvmHere(["search", ...study, ...how]);
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toContain("y = 2·max + list");
    expect((await ndvmHere(["archive", "ls", "words.db"])).stdout).toContain("2·max + list");
    for (const format of ["javascript", "numpy", "sympy", "scheme", "latex", "math"])
      for (const id of ["0", "1", "2"]) {
        const told = await ndvmHere(["archive", "show", "words.db", id, "--export", format]);
        expect(told.code, `${format} of ${id}`).toBe(0);
        expect(told.stderr).toMatch(/^(the model is that of the front: visit \d, .*\n)?$/);
        expect(told.stdout, `${format} of ${id}`).toContain("max");
      }
    // What sqrt does below 0 is the study's choice, and the exported model keeps it.
    const clamped = await ndvmHere(["archive", "show", "words.db", "1", "--export", "javascript"]);
    const model = new Function(`${clamped.stdout}; return model;`)() as (of: object) => number;
    expect(model({ max: 1 })).not.toBeNaN();
    expect(await ndvmHere(["report", "words.db", "-o", "words.html"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "words.html"), "utf8")).toContain("2·max + list");
  });
});
