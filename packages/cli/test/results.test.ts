/**
 * Results as CSV, JSON and tables, read back: every number is the machine's, under its own name and in
 * its own lane, whatever else was set.
 */

import { type Inputs, int, Machine, mat, type Precision, vec } from "@ndvm/core";
import { describe, expect, test, vi } from "vitest";
import { csvText, jsonText, type Report, tableText, warnAbout } from "../src/results.js";

const machines = {
  f32: await Machine.create({ precision: "f32" }),
  f64: await Machine.create({ precision: "f64" }),
};

/** The last is written with fewer digits where numbers are of single precision. */
const lanes = [0.1, 1 / 3, 2.123456789012345, -4, Math.fround(0.1)];

/** Programs with what they are given, and the shape of what they give. */
const programs: readonly [source: string, inputs: Inputs, shape: readonly number[]][] = [
  ["(* x x)", { x: lanes }, []],
  ["(* x (vec 1 2 3))", { x: lanes }, [3]],
  ["(* x (mat (vec 1 2 3) (vec 4 5 6)))", { x: lanes }, [2, 3]],
  ["(* x (dot v v))", { x: lanes, v: vec([1, 0.3]) }, []],
  [
    "(* x (dot v (matvec m v)))",
    {
      v: vec([1, 0.3]),
      m: mat([
        [1, 2],
        [3, 4],
      ]),
      x: 0.1,
    },
    [],
  ],
  ["(* x n)", { x: lanes, n: int(3) }, []],
  ["(+ x y)", { x: lanes, y: 1 / 7 }, []],
];

/** Set beside the inputs of a program, and not read by it: other lanes, tensors. */
const besides: Inputs = {
  others: [1, 2],
  w: vec([7, 8]),
  k: 5,
  more: Float64Array.of(1, 2, 3, 4, 5, 6),
};

const readNumber = (cell: unknown): number => (cell === "NaN" ? Number.NaN : Number(cell));

function elementName(shape: readonly number[], element: number): string {
  const [, cols] = shape;
  if (shape.length === 0) return "";
  return cols === undefined ? `[${element}]` : `[${Math.floor(element / cols)},${element % cols}]`;
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((all, one) => all * one, 1);

describe.each<Precision>(["f32", "f64"])("in %s", (precision) => {
  const round = precision === "f32" ? Math.fround : (value: number) => value;
  const reportOf = (source: string, inputs: Inputs): Report & { result: { lanes: number } } => {
    const program = machines[precision].load(source);
    const wrt = program.inputs.filter((name) => name !== "n");
    const result = program.gradient(inputs, { wrt });
    return { result, inputs: { ...besides, ...inputs } as Report["inputs"], precision };
  };

  const numeric = programs.filter(([, , shape]) => shape.length === 0);

  test.each(numeric)("CSV of %s has the lanes' inputs, values and gradients", (source, inputs) => {
    const report = reportOf(source, inputs);
    const { result } = report;
    const [head = "", ...rows] = [...csvText(report)].join("").trimEnd().split("\n");
    expect(rows).toHaveLength(result.lanes);
    const laneInputs = Object.entries(inputs).filter(([, value]) => Array.isArray(value));
    const gradients = "gradients" in result ? Object.entries(result.gradients) : [];
    const shapeOf = (name: string): readonly number[] =>
      name === "v" ? [2] : name === "m" ? [2, 2] : [];
    const quoted = (name: string) => (name.includes(",") ? `"${name}"` : name);
    const names = [
      ...laneInputs.map(([name]) => name),
      "value",
      ...gradients.flatMap(([name]) =>
        Array.from({ length: sizeOf(shapeOf(name)) }, (_, e) =>
          quoted(`d/d${name}${elementName(shapeOf(name), e)}`),
        ),
      ),
    ];
    expect(head).toBe(names.join(","));
    for (const [lane, row] of rows.entries()) {
      const cells = row.split(",").map(Number);
      const wanted = [
        ...laneInputs.map(([, values]) => (values as readonly number[])[lane] as number),
        result.values[lane] as number,
        ...gradients.flatMap(([name, values]) => {
          const size = sizeOf(shapeOf(name));
          return [...values.subarray(lane * size, (lane + 1) * size)];
        }),
      ];
      expect(cells.map((cell, i) => (i < laneInputs.length ? cell : round(cell)))).toEqual(wanted);
    }
  });

  test.each(programs)("values of %s in CSV and JSON", (source, inputs, shape) => {
    const program = machines[precision].load(source);
    const result = program.evaluate(inputs);
    const report = { result, inputs: { ...besides, ...inputs } as Report["inputs"], precision };
    const { values, ...json } = JSON.parse([...jsonText(report, false)].join(""));
    expect(json).toEqual({ lanes: result.lanes, shape: [...shape], failures: [], nonFinite: [] });
    expect(values.flat(3).map((value: unknown) => round(readNumber(value)))).toEqual([
      ...result.values,
    ]);
    const [head = "", ...rows] = [...csvText(report)].join("").trimEnd().split("\n");
    expect(head.match(/value/g)).toHaveLength(sizeOf(shape));
    const size = sizeOf(shape);
    const last = rows.map((row) =>
      row
        .split(",")
        .slice(-size)
        .map((cell) => round(Number(cell))),
    );
    expect(last.flat()).toEqual([...result.values]);
  });
});

describe("lanes that fail", () => {
  const program = machines.f64.load("(if (< x 1) (car (list)) (list x (quote |a,b|)))");
  const inputs = { x: [2, 0, 3, 0, 0, 0, 0, 0] };
  const result = program.evaluate(inputs);
  const report: Report = { result, inputs, precision: "f64" };

  test("have an empty cell, null, and their code", () => {
    expect(result.failures.map(({ lane }) => lane)).toEqual([1, 3, 4, 5, 6, 7]);
    const rows = [...csvText(report)].join("").trimEnd().split("\n");
    expect(rows.slice(0, 4)).toEqual(["x,value", '2,"(2 |a,b|)"', "0,", '3,"(3 |a,b|)"']);
    const { values, failures } = JSON.parse([...jsonText(report, false)].join(""));
    expect(values.slice(0, 4)).toEqual([[2, "a,b"], null, [3, "a,b"], null]);
    expect(failures[0]).toMatchObject({ lane: 1, code: result.failures[0]?.error.code });
    const table = [...tableText(report)].join("");
    expect(table).toContain(result.failures[0]?.error.code);
    expect(table).toContain("(3 |a,b|)");
  });

  test("are told up to five, and the others counted", () => {
    let told = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      told += String(text);
      return true;
    });
    warnAbout(result);
    vi.restoreAllMocks();
    expect(told.match(/lane \d failed/g)).toHaveLength(5);
    expect(told).toContain("… and 1 more failed lanes");
  });
});

test("a table has the columns of inputs with as many lanes as the result", () => {
  const inputs = { x: [1, 2], y: [1, 2, 3], z: 4 };
  const result = machines.f64.load("(* x 2)").evaluate({ x: [1, 2] });
  const [head = ""] = [...tableText({ result, inputs, precision: "f64" })].join("").split("\n");
  expect(head.trim().split(/\s+/)).toEqual(["lane", "x", "value"]);
});
