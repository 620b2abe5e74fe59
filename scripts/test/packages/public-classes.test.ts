/** What the types of the public classes show: what users call, and none of the packages' own doors. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "./tarballs.js";

function membersOf(file: string, name: string): string[] {
  const path = join(root, "packages/core/dist/machine", file);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022);
  const found = source.statements.find(
    (one): one is ts.ClassDeclaration => ts.isClassDeclaration(one) && one.name?.text === name,
  );
  const names = found?.members.map(({ name: own }) =>
    own !== undefined && ts.isIdentifier(own) ? own.text : "",
  );
  return [...new Set(names)].filter((own) => own !== "").sort();
}

const RUNS = [
  "evaluate",
  "evaluateAsync",
  "gradient",
  "gradientAsync",
  "jacobian",
  "run",
  "session",
];

test.each([
  [
    "program.d.ts",
    "Program",
    [
      ...RUNS,
      "diagnose",
      "dispose",
      "explain",
      "file",
      "inputs",
      "loadBeside",
      "loadOptions",
    ].concat(["precision", "printCore", "reportBudget", "runs", "source"]),
  ],
  [
    "machine.d.ts",
    "Machine",
    ["create", "dispose", "fromBytes", "fromModule", "load", "loadBytecode", "mechanisms"].concat([
      "memoryMax",
      "pool",
      "precision",
    ]),
  ],
  [
    "run/session.d.ts",
    "Session",
    ["axes", "failures", "gradients", "inputs", "lanes", "run", "set", "stats", "values"],
  ],
  [
    "pool/pool.d.ts",
    "Pool",
    ["create", "dispose", "evaluate", "gradient", "sharedMemory", "workers"],
  ],
])("%s: %s has the members that users need", (file, name, members) => {
  expect(membersOf(file, name)).toEqual([...members].sort());
});
