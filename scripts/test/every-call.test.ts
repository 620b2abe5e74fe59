/**
 * Every public function that takes options, of every package: what is no object is refused, and so is a
 * name that it does not know. Nothing is begun, and no option is left at its default without a word.
 */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCluster } from "@ndvm/cluster";
import {
  BranchLog,
  expand,
  exportModel,
  fitMany,
  fit as fitModel,
  followBranches,
  formatError,
  laneNumbers,
  Machine,
  NdvmError,
  type Program,
  read,
} from "@ndvm/core";
import { drawChart, fitReport } from "@ndvm/report";
import { evolve, llm, replay, search } from "@ndvm/search";
import { readTable } from "@ndvm/tables";
import { readTableFile } from "@ndvm/tables/node";
import { operation } from "@ndvm/tfjs";
import { beforeAll, describe, expect, test } from "vitest";

let machine: Machine;
let program: Program;
beforeAll(async () => {
  machine = await Machine.create();
  program = machine.load("(* a x)");
});

const inputs = { a: 2, x: 3 };
const archive = join(tmpdir(), "ndvm-never-made.db");
const data = { x: [1, 2, 3, 4, 5, 6, 7, 8], y: [2, 4, 6, 8, 10, 12, 14, 17] };
const url = "redis://localhost:1";

/** Passes any value off as options. JavaScript knows no types. */
type Call = (options: never) => unknown;

/** Calls, and a name that each knows with a slip in it. */
const calls: Readonly<Record<string, readonly [call: Call, slip: string, meant: string]>> = {
  "Machine.create": [(o) => Machine.create(o), "memorymax", "memoryMax"],
  "Machine.create, mechanisms": [
    (o) => Machine.create({ mechanisms: o }),
    "smalShapes",
    "smallShapes",
  ],
  "machine.pool": [(o) => machine.pool(o), "worker", "workers"],
  "machine.load": [(o) => machine.load("(* a x)", o), "domian", "domain"],
  "machine.loadBytecode": [(o) => machine.loadBytecode("", o), "input", "inputs"],
  "program.loadBeside": [(o) => program.loadBeside("x", o), "input", "inputs"],
  evaluate: [(o) => program.evaluate(inputs, o), "stepMax", "stepsMax"],
  evaluateAsync: [(o) => program.evaluateAsync(inputs, o), "signals", "signal"],
  gradient: [(o) => program.gradient(inputs, o), "wtr", "wrt"],
  gradientAsync: [(o) => program.gradientAsync(inputs, o), "redcue", "reduce"],
  run: [(o) => program.run(inputs, o), "timeMx", "timeMax"],
  session: [(o) => program.session(inputs, o), "chunks", "chunk"],
  jacobian: [(o) => program.jacobian(inputs, o), "tapeBytes", "tapeBytesMax"],
  diagnose: [(o) => program.diagnose(inputs, o), "reports", "report"],
  explain: [(o) => program.explain(inputs, o), "reports", "report"],
  laneNumbers: [(o) => laneNumbers(program, inputs, o), "reports", "report"],
  followBranches: [(o) => followBranches(program, [inputs], o), "reports", "report"],
  BranchLog: [(o) => new BranchLog(o), "reports", "report"],
  exportModel: [(o) => exportModel({ program }, "math", o), "digit", "digits"],
  "exportModel, load": [(o) => exportModel({ program: "x", load: o }, "math"), "domian", "domain"],
  expand: [(o) => expand(read("x"), o), "input", "inputs"],
  formatError: [(o) => formatError(new NdvmError("E-OPTION", ""), o), "colour", "color"],
  search: [
    (o) => first(spread({ data, target: "y", archive }, o)),
    "complexitymax",
    "complexityMax",
  ],
  "search, recipe": [
    (o) => first({ data, target: "y", archive, recipe: o }),
    "optimizer",
    "optimiser",
  ],
  "search, recipe.adam": [
    (o) => first({ data, target: "y", archive, recipe: { optimiser: "adam", adam: o } }),
    "beta",
    "beta1",
  ],
  "search, recipe.rungs": [
    (o) => first({ data, target: "y", archive, recipe: { rungs: [o] } }),
    "restart",
    "restarts",
  ],
  "search, limits": [
    (o) => first({ data, target: "y", archive, limits: o }),
    "fitStep",
    "fitSteps",
  ],
  "search, budget": [(o) => first({ data, target: "y", archive, budget: o }), "second", "seconds"],
  "search, hooks": [
    (o) => search({ data, target: "y", archive }, o).next(),
    "startRuner",
    "startRunner",
  ],
  evolve: [(o) => evolve(o), "islandsize", "islandSize"],
  replay: [(o) => replay([{ source: "x" }], o), "cycle", "cycles"],
  llm: [(o) => llm(o), "retris", "retries"],
  "llm, prices": [
    (o) => llm({ model: "m", baseURL: "http://localhost:1", prices: o }),
    "inputs",
    "input",
  ],
  "llm, caps": [
    (o) => llm({ model: "m", baseURL: "http://localhost:1", caps: o }),
    "token",
    "tokens",
  ],
  readTable: [(o) => readTable("x\n1\n", o), "delimeter", "delimiter"],
  readTableFile: [(o) => readTableFile("/dev/null", o), "delimeter", "delimiter"],
  drawChart: [(o) => drawChart(o), "widht", "width"],
  fitReport: [(o) => fitReport(o), "comand", "command"],
  operation: [(o) => operation(program, o), "input", "inputs"],
  openCluster: [(o) => openCluster(spread({ url }, o)), "namespaces", "namespace"],
  "openCluster, settings": [(o) => openCluster({ url }, o), "pollMillisecond", "pollMilliseconds"],
  "cluster.gradient": [
    (o) => openCluster({ url }).gradient(program, inputs, o),
    "stepMax",
    "stepsMax",
  ],
};

/** Some options and those that are given; what is no object as it is. */
function spread<T extends object>(some: T, given: unknown): T {
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  return isObject ? { ...some, ...given } : (given as T);
}

const first = (options: unknown) => search(options as never).next();

/** How a call refuses; undefined where it does not. */
async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

const strange = [null, 5, "text", true, []] as const;

describe.each(Object.entries(calls))("%s", (_, [call, slip, meant]) => {
  test("refuses a name that it does not know, and says which one was meant", async () => {
    for (const name of [slip, "zzzzzzzzzzzz"]) {
      const error = await refusal(() => call({ [name]: 1 } as never));
      expect(error, name).toBeInstanceOf(NdvmError);
      const { code, message, help, facts } = error as NdvmError;
      expect([code, message]).toEqual([
        "E-OPTION",
        expect.stringContaining(`has no option ${name}`),
      ]);
      expect(facts.option).toBe(name);
      if (name === slip) expect(help).toBe(`did you mean ${meant}?`);
      else expect(help).toContain(meant);
    }
    expect(existsSync(archive)).toBe(false);
  });

  test("refuses what is no object of options", async () => {
    for (const value of strange) {
      const error = await refusal(() => call(value as never));
      expect(error, JSON.stringify(value)).toBeInstanceOf(NdvmError);
      expect((error as NdvmError).code).toBe("E-OPTION");
    }
    expect(existsSync(archive)).toBe(false);
  });
});

test("calls that come again refuse options that are no object", () => {
  const often = machine.load("(* a x)");
  for (let turn = 0; turn < 6; turn++) {
    often.gradient(inputs, { wrt: ["a"] });
    often.evaluate(inputs);
  }
  for (const value of strange.slice(0, 4)) {
    expect(() => often.gradient(inputs, value as never), String(value)).toThrow(NdvmError);
    expect(() => often.evaluate(inputs, value as never), String(value)).toThrow(NdvmError);
  }
  expect(() => often.evaluate(inputs, { replys: true } as never)).toThrow("no option replys");
});

describe("inputs, data and programs that are no objects", () => {
  const given: Readonly<Record<string, (value: never) => unknown>> = {
    evaluate: (value) => program.evaluate(value),
    gradient: (value) => program.gradient(value),
    run: (value) => program.run(value),
    session: (value) => program.session(value),
    jacobian: (value) => program.jacobian(value),
    diagnose: (value) => program.diagnose(value),
    explain: (value) => program.explain(value),
    laneNumbers: (value) => laneNumbers(program, value),
    exportModel: (value) => exportModel(value, "math"),
    "search, data": (value) => first({ data: value, target: "y" }),
    "search, proposers": (value) => first({ data, target: "y", proposers: value }),
    operation: (value) => operation(program)(value),
    "cluster.gradient": (value) => openCluster({ url }).gradient(program, value),
    readTable: (value) => readTable(value),
    replay: (value) => replay(value),
  };

  test.each(Object.entries(given))("%s refuses them", async (name, call) => {
    const wrong = name === "readTable" ? [null, 5, true] : [null, 5, "text", true];
    for (const value of wrong) {
      const error = await refusal(() => call(value as never));
      expect(error, JSON.stringify(value)).toBeInstanceOf(NdvmError);
      expect(["E-INPUT", "E-OPTION", "E-FILE"]).toContain((error as NdvmError).code);
    }
  });
});

test("fits refuse names that they do not know", async () => {
  const wrong = { data, target: "y", restart: 3 } as never;
  await expect(fitModel(program, wrong)).rejects.toThrow("fit has no option restart");
  const [failed] = await fitMany(machine, ["(* a x)"], wrong);
  expect(failed).toMatchObject({ status: "failed", error: { code: "E-OPTION" } });
});
