/**
 * Values as Scheme text.
 */

import { Dual } from "./dual.js";
import { Sym } from "./read.js";
import { columnsOf, isVector, row, rowsOf } from "./tensor.js";
import { nil, Pair, Tensor, unspecified, type Value } from "./values.js";

export function print(value: Value): string {
  if (value instanceof Dual) return printNumber(value.v);
  if (typeof value === "boolean") return value ? "#t" : "#f";
  if (value instanceof Sym) return value.name;
  if (value instanceof Pair) return printPair(value);
  if (value instanceof Tensor) return printTensor(value);
  if (value === nil) return "()";
  return value === unspecified ? "#<unspecified>" : "#<procedure>";
}

function printNumber(v: number): string {
  if (Number.isNaN(v)) return "+nan.0";
  if (!Number.isFinite(v)) return v > 0 ? "+inf.0" : "-inf.0";
  return String(v);
}

function printPair(pair: Pair): string {
  const parts: string[] = [];
  let rest: Value = pair;
  for (; rest instanceof Pair; rest = rest.cdr) parts.push(print(rest.car));
  if (rest !== nil) parts.push(".", print(rest));
  return `(${parts.join(" ")})`;
}

function printTensor(tensor: Tensor): string {
  if (isVector(tensor)) return `[${tensor.items.map(print).join(" ")}]`;
  const lines = Array.from({ length: rowsOf(tensor) }, (_, i) => printTensor(row(tensor, i)));
  return columnsOf(tensor) === 0 ? "(mat)" : `(mat ${lines.join(" ")})`;
}
