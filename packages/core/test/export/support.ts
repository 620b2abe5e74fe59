/**
 * Running exported JavaScript, finding Python, and comparing what it gives with what the machine gives.
 */

import { existsSync } from "node:fs";
import { isClose } from "../corpus/support.js";

const DEBIAN = "/usr/bin/python3";
/** The Python that tests use, as scripts/ensure-python.mjs chooses it; it may lack everything. */
export const pythonBinary = process.env["NDVM_PYTHON"] || (existsSync(DEBIAN) ? DEBIAN : "python3");

export type Model = (inputs?: object, params?: object) => unknown;

/** The function that an exported text defines. */
export function functionOf(text: string, name = "model"): Model {
  return new Function(`"use strict";\n${text}\nreturn ${name};`)() as Model;
}

const tolerance = { relative: 1e-10, absolute: 1e-11 };

/** Whether an exported function's value is the machine's, numbers to rounding. */
export function isSameValue(got: unknown, want: unknown): boolean {
  if (typeof want === "number") return typeof got === "number" && isClose(got, want, tolerance);
  if (ArrayBuffer.isView(want)) return isSameValue(got, Array.from(want as Float64Array));
  if (Array.isArray(want))
    return (
      Array.isArray(got) &&
      got.length === want.length &&
      want.every((item, i) => isSameValue(got[i], item))
    );
  if (typeof want === "symbol" || typeof want === "string")
    return got === (typeof want === "symbol" ? want.description : want);
  if (typeof want === "object" && want !== null) {
    if ("procedure" in want) return typeof got === "function";
    const keys = Object.keys(want);
    return keys.every((key) =>
      isSameValue((got as Record<string, unknown>)?.[key], (want as Record<string, unknown>)[key]),
    );
  }
  return got === want || (want === null && got === undefined);
}
