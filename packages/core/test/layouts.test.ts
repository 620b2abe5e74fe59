/**
 * Layouts: what is generated is what the declarations say, both sides of the boundary agree, and
 * numbers in the pages about memory are those of the code.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as fitStructures from "../src/fit/structures.js";
import { bytesOf, defineCodes, defineLayout, type Layout } from "../src/layouts/define.js";
import { fitCodes, fitLayouts } from "../src/layouts/fit.js";
import { layoutFiles } from "../src/layouts/generate.js";
import { machineLayouts } from "../src/layouts/machine.js";
import { machineCodes } from "../src/layouts/machine-codes.js";
import { fillPage } from "../src/layouts/page-text.js";
import { allFields } from "../src/layouts/view-text.js";
import * as structures from "../src/program/structures.js";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const layouts = [...machineLayouts, ...fitLayouts];

describe("generated files", () => {
  test.each([...layoutFiles(read)])("%s is fresh", (path, text) => {
    expect(read(path)).toBe(text);
  });
});

describe("a declaration", () => {
  const field = (name: string, type: "i32" | "f64") => [name, type, "a number"] as const;
  const define = (fields: Parameters<typeof defineLayout>[0]["fields"], more = {}): Layout =>
    defineLayout({ name: "Thing", at: "thingAt", doc: "A thing.", fields, ...more });

  test("puts each field at the next multiple of its own size", () => {
    const { fields, bytes } = define([field("a", "i32"), field("b", "f64"), field("c", "i32")]);
    expect(fields.map(({ offset }) => offset)).toEqual([0, 8, 16]);
    expect(bytes).toBe(24);
  });

  test("leaves room for several of one field", () => {
    const { fields, bytes } = define([["a", "i32", "three", 3], field("b", "i32")]);
    expect(fields.map(({ offset }) => offset)).toEqual([0, 12]);
    expect(bytes).toBe(16);
  });

  test("begins behind the fields of what it extends", () => {
    const base = define([field("a", "f64")], { room: 16 });
    const one = define([field("b", "f64")], { extends: base });
    const other = define([field("c", "f64"), field("d", "f64")], { extends: base });
    expect(one.fields[0]?.offset).toBe(8);
    expect(other.fields.map(({ offset }) => offset)).toEqual([8, 16]);
    expect([base, one, other].map(({ bytes }) => bytes)).toEqual([24, 24, 24]);
  });

  test("that does not fit into the room of its base is refused", () => {
    const base = define([field("a", "f64")], { room: 8 });
    const fields = [field("b", "f64"), field("c", "f64")];
    expect(() => define(fields, { extends: base })).toThrow("does not fit into the 16 bytes");
  });

  test("with two fields or codes of one name is refused", () => {
    expect(() => define([field("a", "i32"), field("a", "f64")])).toThrow("two fields a");
    const base = define([field("a", "i32")]);
    expect(() => define([field("a", "f64")], { extends: base })).toThrow("two fields a");
    const codes = [["A", 1, ""] as const, ["A", 2, ""] as const];
    expect(() => defineCodes({ name: "Letters", doc: "Letters.", codes })).toThrow("two codes A");
  });

  test("without a word on a field is refused", () => {
    expect(() => define([["a", "i32", ""]])).toThrow("does not say what a holds");
  });
});

describe("the page of memory", () => {
  test("must have a place for every structure", () => {
    const page = read("docs/memory.md").replace("<!-- layout: TapeRecord -->", "");
    expect(() => fillPage(page, [...machineCodes, ...fitCodes], layouts)).toThrow(
      "the page draws no layout: TapeRecord",
    );
  });

  test("must ask for nothing that is not declared", () => {
    const page = "<!-- layout: Nothing -->\n<!-- end -->\n";
    expect(() => fillPage(page, [], [])).toThrow("layout: Nothing, which is not declared");
  });
});

type Structure = new (
  memory: { words: Int32Array; doubles: Float64Array },
  at: number,
) => Record<string, number>;

describe("readers and writers", () => {
  const classes = new Map(
    Object.entries({ ...structures, ...fitStructures }) as unknown as [string, Structure][],
  );
  const hosted = layouts.filter(({ host }) => host);

  test.each(hosted.map((layout) => [layout.name, layout] as const))("of %s", (name, layout) => {
    const at = 16;
    const buffer = new ArrayBuffer(at + Math.ceil(layout.bytes / 16) * 16);
    const memory = { words: new Int32Array(buffer), doubles: new Float64Array(buffer) };
    const view = new DataView(buffer);
    const own = new (classes.get(name) as Structure)(memory, at);
    const fields = allFields(layout).filter(
      ({ type, count }) => typeof type === "string" && count === 1,
    );
    fields.forEach((field, i) => {
      own[field.name] = i + 1;
    });
    fields.forEach((field, i) => {
      const place = at + field.offset;
      const isDouble = bytesOf(field.type) === 8;
      expect(own[field.name]).toBe(i + 1);
      expect(isDouble ? view.getFloat64(place, true) : view.getInt32(place, true)).toBe(i + 1);
    });
  });

  test("of addresses know those beyond 2 GiB", () => {
    const words = new Int32Array(32);
    const block = new structures.OperandBlock({ words }, 0);
    block.x = 0xf0000000;
    block.aux = -1;
    expect([block.x, block.aux]).toEqual([0xf0000000, -1]);
  });
});
