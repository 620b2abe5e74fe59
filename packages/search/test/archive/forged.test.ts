/**
 * Archives in which somebody wrote other values, each with the checksum that belongs to it. They may hold
 * wrong numbers. They may not do more: whoever reads them gets an answer or an E-ARCHIVE, soon, and
 * nothing that a salvage or a search began is left of those that are refused.
 */

import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { NdvmError } from "@ndvm/core";
import { beforeAll, describe, expect, test } from "vitest";
import { checksumOf } from "../../src/archive/checksum.js";
import { openDatabase, type Value } from "../../src/archive/driver.js";
import { COLUMNS, type Table } from "../../src/archive/schema.js";
import {
  type Archive,
  checkArchive,
  evolve,
  openArchive,
  replay,
  salvageArchive,
} from "../../src/index.js";
import { line } from "../engine/data.js";
import { Echo, freshFile, list, run } from "../engine/support.js";
import { copyOf, rungs } from "./support.js";

const PROGRAMS = ["(* a x)", "(car x)", "(* x b)", "(+ a (* b x))", "(* b", "(+ a (* b (sin x)))"];
const proposers = () => [evolve(), list(PROGRAMS), new Echo(), replay([{ source: "(* x a)" }])];
const study = {
  ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 2, islands: 2, seed: 5 },
  recipe: { rungs },
};
let whole = "";
beforeAll(async () => {
  whole = freshFile();
  await run({ ...study, archive: whole, proposers: proposers(), budget: { candidates: 48 } });
});

type Change = Value | ((before: Value) => Value);
/** A table, a condition over its columns, and what becomes of some of them. */
type Forgery = readonly [Table, string, Readonly<Record<string, Change>>];

/** A copy of the archive with rows that are forged. */
function forge(...forgeries: readonly Forgery[]): string {
  const file = copyOf(whole);
  const database = openDatabase(file);
  for (const [table, where, changes] of forgeries) {
    const names = COLUMNS[table].map(({ name }) => name);
    const texts = COLUMNS[table].map(({ name, isText }) =>
      isText ? `CAST(${name} AS BLOB)` : name,
    );
    const rows = database.all(`SELECT ${texts.join(", ")} FROM ${table} WHERE ${where}`);
    expect(rows.length).toBeGreaterThan(0);
    for (const cells of rows) {
      const before = cells.map((cell) => (cell instanceof Uint8Array ? String(cell) : cell));
      const plain = cells.map((cell, i) =>
        cell instanceof Uint8Array ? Buffer.from(cell).toString() : (before[i] as Value),
      );
      const after = names.map((name, i) => {
        const change = Object.hasOwn(changes, name) ? changes[name] : plain[i];
        return (typeof change === "function" ? change(plain[i] as Value) : change) as Value;
      });
      const keys = names.map((name) => `${name} IS ?`).join(" AND ");
      const sets = [...names, "checksum"].map((name) => `${name} = ?`).join(", ");
      database
        .prepare(`UPDATE ${table} SET ${sets} WHERE ${keys}`)
        .run([...after, checksumOf(table, after), ...plain]);
    }
  }
  database.close();
  return file;
}

// biome-ignore lint/suspicious/noExplicitAny: forged JSON has any shape.
type Any = any;
const json =
  (change: (value: Any) => Any) =>
  (before: Value): string => {
    const value = JSON.parse(String(before));
    return JSON.stringify(change(value) ?? value);
  };
const state = (change: (value: Any) => Any): Forgery => [
  "state",
  "one = 1",
  { state: json(change) },
];
const option = (key: string, value: unknown): Forgery => [
  "study",
  `key = '${key}'`,
  { value: JSON.stringify(value) },
];
const last = "first_visit = (SELECT max(first_visit) FROM epochs)";
const everyNumber = (number: number) => (value: Any) => {
  for (const key of Object.keys(value)) if (typeof value[key] === "number") value[key] = number;
};
const population = (change: (member: Any) => void): Forgery => [
  "proposers",
  "place = 0",
  {
    state: json((value) => {
      for (const island of value.islands) for (const { member } of island) change(member);
    }),
  },
];
/** A state with another value in one of its fields. */
const stateWith = (path: string, value: unknown): Forgery =>
  state((all) => {
    const names = path.split(".");
    const name = names.pop() as string;
    names.reduce((part, each) => part[each], all)[name] = value;
  });
const version = (change: (knowledge: Any, saved: Any) => void): Forgery =>
  state((value) => {
    for (const saved of value.versions) {
      const knowledge = JSON.parse(saved.text);
      change(knowledge, saved);
      saved.text = JSON.stringify(knowledge);
    }
  });

/** Members of the first proposer's islands: another island, or another place. */
const settledAt = (part: 0 | 1, value: number): Forgery =>
  version(({ populations }) => {
    for (const settled of populations[0].settled) settled[part] = value;
  });

const JUNK = [null, [null]] as const;
const OPTIONS = [
  ...["target", "inputs", "train", "heldOut", "operators", "precision", "seed", "recipe", "keep"],
  ...["limits", "domain", "complexityMax", "epoch", "slots", "islands", "proposers"],
];

const FORGERIES: readonly (readonly [string, readonly Forgery[]])[] = [
  ["inputs in lists", [option("inputs", [["x"]])]],
  ["a target that no column has", [option("target", "z")]],
  ["columns of different lengths", [option("train", { x: [1, 2], y: [1] })]],
  ["a billion visits of an epoch", [["epochs", last, { visits: 1e9 }]]],
  [
    "more visits than memory, and a state that agrees",
    [
      ["epochs", last, { visits: 1e15 }],
      state((value) => {
        value.counts.candidates = value.nextVisit = 1e15;
      }),
    ],
  ],
  ["visits below 0", [["epochs", "first_visit = 0", { visits: -5 }]]],
  ["ids that are none", [["epochs", "first_visit = 0", { candidates: "[1e15,1e15,1e15,1e15]" }]]],
  ["counts below 0", [["epochs", "1", { counts: json(everyNumber(-1)) }]]],
  ["infinite numbers", [["fits", "1", { r2: Number.POSITIVE_INFINITY }]]],
  ["numbers beyond JSON's", [["fits", "params IS NOT NULL", { params: '{"a":1e999}' }]]],
  ["parameters in a list", [["fits", "params IS NOT NULL", { params: "[1]" }]]],
  ["negative sizes", [["candidates", "1", { complexity: -5 }]]],
  ["the largest sizes", [["candidates", "1", { complexity: Number.MAX_SAFE_INTEGER }]]],
  ["parents of themselves", [["candidates", "1", { parents: "[0,1,2,3,1000000000]" }]]],
  ["times far away", [["timings", "1", { at: 1e300, visits: 1e15 }]]],
  ["a study of a thousand lists", [["study", "key = 'description'", { value: deep(5000) }]]],
  [
    "events in a thousand lists",
    [["events", "event = 1", { body: `{"type":"x","y":${deep(5000)}}` }]],
  ],
  ["budgets that are words", [["runs", "1", { budget: '"x"' }]]],
  ["a ledger of words", [["state", "one = 2", { state: '{"rows":{"fits":"x"}}' }]]],
  [
    "a ledger of no salvage",
    [["state", "one = 2", { state: json((v) => ({ ...v, salvaged: null })) }]],
  ],
  ["a state of one field", [state(({ front, counts }) => ({ front, counts }))]],
  ["counts of one field", [stateWith("counts", { candidates: 48 })]],
  ["counts without end", [stateWith("counts.candidates", 1e15)]],
  ["counts below zero", [stateWith("counts.candidates", -1)]],
  ["seconds that are words", [stateWith("seconds", "x")]],
  ["every number of the state 10¹⁵", [state(everyNumber(1e15))]],
  ["every number of the state −1", [state(everyNumber(-1))]],
  ["rounds that are nothing", [stateWith("rounds", [null])]],
  ["rounds of junk", [stateWith("rounds", [5, { round: "x", epochs: 5 }])]],
  ["rounds that are gone", [stateWith("nextRound", 1_000_000_000)]],
  ["a front of no visit", [stateWith("front", [-1])]],
  ["a front of a failure", [stateWith("front", [9])]],
  ["a front that is too long", [state((v) => ({ ...v, front: [...v.front, ...v.front] }))]],
  ["versions without a text", [stateWith("versions", [{ front: [0] }])]],
  ["no versions", [stateWith("versions", [])]],
  [
    "versions of the future",
    [
      version((_, saved) => {
        saved.version += 7;
      }),
    ],
  ],
  ["versions that have seen more", [stateWith("versions.0.digests", 1e9)]],
  ["versions that are no JSON", [stateWith("versions.0.text", "{")]],
  [
    "versions of nobody",
    [
      version((knowledge) => {
        knowledge.populations = [];
      }),
    ],
  ],
  ["members of an island without end", [settledAt(0, 1e15)]],
  ["members at places without end", [settledAt(1, 1e15)]],
  ["a proposer of nothing", [["proposers", "1", { state: "null" }]]],
  ["a proposer of a number", [["proposers", "1", { state: "5" }]]],
  ["a proposer of words", [["proposers", "1", { state: '{"at":"x","islands":"y"}' }]]],
  ["a proposer before the first place", [["proposers", "place = 3", { state: '{"at":-1}' }]]],
  [
    "members without a size",
    [
      population((member) => {
        delete member.complexity;
      }),
    ],
  ],
  [
    "members of a size without end",
    [
      population((member) => {
        member.complexity = 1e15;
      }),
    ],
  ],
  [
    "members of no program",
    [
      population((member) => {
        member.source = null;
      }),
    ],
  ],
  [
    "pending proposals that are no JSON",
    [["pending", "1", { body: '{"kind":"proposed","proposals":"["}' }]],
  ],
  [
    "pending outcomes of nothing",
    [["pending", "1", { body: '{"kind":"settled","outcomes":[null]}' }]],
  ],
];

/** Options that a search compares with its own before it reads anything else. */
const FORGED_OPTIONS: typeof FORGERIES = OPTIONS.flatMap((key) =>
  JUNK.map((value) => [`option ${key} ${JSON.stringify(value)}`, [option(key, value)]] as const),
);

function deep(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

const READERS: readonly ((archive: Archive) => unknown)[] = [
  (archive) => archive.study(),
  (archive) => archive.seeds(),
  (archive) => archive.runs(),
  (archive) => archive.summary(),
  (archive) => [...archive.outcomes()],
  (archive) => archive.visitsOf(0),
  (archive) => archive.front(),
  (archive) => archive.members(),
  (archive) => archive.lineage(5),
  (archive) => archive.discoveries(),
  (archive) => archive.timings(),
  (archive) => archive.throughput(),
  (archive) => JSON.stringify([...archive.events()]),
  (archive) => [...archive.export()],
];

/** What an action gives; undefined where it is refused as damaged. Nothing else may happen. */
function allowed<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    refused(error);
    return undefined;
  }
}

function refused(error: unknown): void {
  if (!(error instanceof NdvmError)) throw error;
  expect(error.code).toBe("E-ARCHIVE");
}

const filesBeside = (file: string): readonly string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));

describe.each([...FORGED_OPTIONS, ...FORGERIES])("an archive with %s", (_what, forgeries) => {
  test("is read, or refused as damaged", () => {
    const file = forge(...forgeries);
    const archive = allowed(() => openArchive(file));
    for (const read of READERS) if (archive !== undefined) allowed(() => read(archive));
    archive?.close();
    checkArchive(file);
  });

  test("is salvaged to an intact one, or to none", () => {
    const file = forge(...forgeries);
    const out = freshFile();
    const salvaged = allowed(() => salvageArchive(file, out));
    expect(filesBeside(out)).toEqual(salvaged === undefined ? [] : [basename(out)]);
    if (salvaged === undefined) return;
    expect(checkArchive(out)).toMatchObject({ isIntact: true, canResume: salvaged.canResume });
  });
});

describe.each(FORGERIES)("a study with %s", (_what, forgeries) => {
  test("is gone on with, or refused as damaged", async () => {
    const file = forge(...forgeries);
    const { canResume } = checkArchive(file);
    const going = run({
      ...{ ...study, archive: file, resume: true, proposers: proposers() },
      budget: { candidates: 56, seconds: 20 },
    });
    const isDone = await going.then(
      () => true,
      (error) => {
        refused(error);
        return false;
      },
    );
    if (isDone && canResume) expect(checkArchive(file)).toMatchObject({ isIntact: true });
  });
});

test("a row that is forged well is intact: checksums are not signatures", () => {
  const file = forge(["runs", "1", { command: "something else" }]);
  expect(checkArchive(file)).toMatchObject({ isIntact: true, canResume: true });
});
