/**
 * Which locals have been stored, and which are still read, in all small programs and in large ones: the
 * verifier against a second opinion that follows every way through the text, one instruction after the other.
 */

import { expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { verify } from "../../src/bytecode/verify.js";
import { NdvmError } from "../../src/errors.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

/** A step that leaves the stack as it was; `to` is a step, the number of steps is the end of the text. */
interface Step {
  readonly lines: readonly string[];
  readonly reads?: string;
  readonly writes?: string;
  readonly to?: number;
  /** Whether the next step can follow. */
  readonly goesOn: boolean;
}

const goesOn = true;
const store = (name: string): Step => ({
  lines: ["PUSH 1", `STORE ${name}`],
  writes: name,
  goesOn,
});
const load = (name: string): Step => ({ lines: [`LOAD ${name}`, "DROP"], reads: name, goesOn });
/** LOOP reads what it counts, and gives it back. */
const loop = (name: string, to: number): Step => ({
  lines: [`LOOP ${name} l${to}`],
  reads: name,
  to,
  goesOn,
});
const branch = (to: number, how = "BRANCH"): Step => ({
  lines: ["LOAD t", "PUSH 0", "GT", `${how} l${to}`],
  to,
  goesOn,
});
const jump = (to: number): Step => ({ lines: [`JUMP l${to}`], to, goesOn: false });
const leave: Step = { lines: ["PUSH 2", "RET"], goesOn: false };
const leaveWith = (name: string): Step => ({
  lines: [`LOAD ${name}`, "TAILCALL other"],
  reads: name,
  goesOn: false,
});
/** Instructions of other kinds touch no local of this procedure. */
const others: readonly Step[] = [
  { lines: ["LOAD t", "CALL other", "DROP"], goesOn },
  { lines: ["LOAD k", "DUP", "SWAP", "ADD", "DROP"], goesOn },
  { lines: ["SELF", "PROC sin", "PUSH 'a", "LIST 3", "DROP"], goesOn },
];

interface Text {
  readonly params: readonly string[];
  readonly locals: readonly string[];
  readonly steps: readonly Step[];
}

/** A procedure whose locals are all named in code that nothing reaches, so that a LOAD means the local. */
function textOf({ params, locals, steps }: Text): string {
  const code = steps.flatMap(({ lines }, at) => [`l${at}:`, ...lines]);
  const unreached = locals.flatMap((name) => ["PUSH 1", `STORE ${name}`, `LOAD ${name}`, "DROP"]);
  return [
    ".input t",
    ".proc other u\nLOAD u\n.end",
    `.proc tested ${params.join(" ")}\n.captures k`,
    ...code,
    `l${steps.length}: PUSH 3\nRET`,
    ...unreached,
    "PUSH 3\nRET\n.end\nPUSH 0",
  ].join("\n");
}

function followers(step: Step, at: number): number[] {
  return [...(step.goesOn ? [at + 1] : []), ...(step.to === undefined ? [] : [step.to])];
}

/** Steps that read a local which some way there has not stored, and all that are reached. */
function decide({ params, steps }: Text): { refused: Set<number>; reached: Set<number> } {
  const refused = new Set<number>();
  const reached = new Set<number>();
  const seen = new Set<string>();
  const work: { at: number; stored: readonly string[] }[] = [{ at: 0, stored: params }];
  for (let way = work.pop(); way !== undefined; way = work.pop()) {
    const { at, stored } = way;
    const key = `${at} ${stored.join(" ")}`;
    const step = steps[at];
    reached.add(at);
    if (seen.has(key) || step === undefined) continue;
    seen.add(key);
    if (step.reads !== undefined && !stored.includes(step.reads)) refused.add(at);
    const now = step.writes === undefined ? stored : [...new Set([...stored, step.writes])].sort();
    for (const to of followers(step, at)) work.push({ at: to, stored: now });
  }
  return { refused, reached };
}

/** Whether some way from a step on reads the local before it stores it. */
function isReadFrom(start: number, name: string, steps: readonly Step[]): boolean {
  const seen = new Set<number>();
  const work = [start];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const step = steps[at];
    if (seen.has(at) || step === undefined) continue;
    seen.add(at);
    if (step.reads === name) return true;
    if (step.writes !== name) work.push(...followers(step, at));
  }
  return false;
}

/** Holds the verifier to the second opinion; whether both took the program. */
function check(text: Text): boolean {
  const source = textOf(text);
  const { procedures } = assemble(source);
  const tested = procedures[1] as (typeof procedures)[0];
  const { refused, reached } = decide(text);
  const starts = text.steps.map(({ lines }, at) => ({ at, length: lines.length }));
  const stepAt = starts.flatMap(({ at, length }) => Array.from({ length }, () => at));
  if (refused.size > 0) {
    const first = Math.min(...refused);
    const at = tested.code[stepAt.indexOf(first)];
    const error = errorOf(() => verify(tested, procedures));
    expect(error?.code, source).toBe("E-UNINITIALISED");
    expect(error?.message, source).toBe(
      `${text.steps[first]?.reads} can be read before it is stored`,
    );
    expect(error?.span, source).toEqual(at?.span);
    return false;
  }
  const { flow, live } = verify(tested, procedures);
  flow.blocks.forEach(({ start }, block) => {
    const step = stepAt[start] ?? text.steps.length;
    const isReached = flow.isReachable[block] === 1;
    if (start < stepAt.length)
      expect(isReached, `${source}\nblock ${block}`).toBe(reached.has(step));
    if (!isReached) return;
    const found = tested.slots.filter((_, slot) => live.has(block, slot));
    const wanted = tested.slots.filter((name) => isReadFrom(step, name, text.steps));
    expect(found, `${source}\nat step ${step}`).toEqual(wanted);
  });
  return true;
}

function errorOf(act: () => unknown): NdvmError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
}

/** Every list of so many items. */
function listsOf<T>(items: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  return listsOf(items, length - 1).flatMap((list) => items.map((item) => [...list, item]));
}

test("all programs of up to three steps read what every way to them has stored, and no other", () => {
  let taken = 0;
  let all = 0;
  for (const length of [1, 2, 3]) {
    const places = Array.from({ length: length + 1 }, (_, at) => at);
    const steps = [
      ...["a", "b"].flatMap((name) => [store(name), load(name)]),
      ...places.flatMap((to) => [loop("a", to), branch(to), jump(to)]),
      leave,
    ];
    for (const list of listsOf(steps, length)) {
      if (check({ params: [], locals: ["a", "b"], steps: list })) taken += 1;
      all += 1;
    }
  }
  expect(taken).toBeGreaterThan(500);
  expect(all - taken).toBeGreaterThan(500);
});

test(`so do programs of many steps, parameters and locals, SEED=${seed}`, () => {
  const random = new Random(seed, 0);
  let taken = 0;
  const turns = 3000;
  for (let turn = 0; turn < turns; turn++) {
    const length = random.between(4, 14);
    // Some of them beside so many locals that their bits fill more than a word.
    const beside = random.chance(0.3) ? random.between(28, 66) : 0;
    const params = ["p", ...Array.from({ length: beside }, (_, i) => `p${i}`)];
    const locals = ["a", "b", "c"];
    const drawStep = (): Step => {
      const name = random.pick([...locals, "p"]);
      const to = random.between(0, length);
      return random.pick([
        ...[store(name), store(name), store(name), load(name), loop(name, to), leaveWith(name)],
        ...[branch(to), branch(to, "BRANCHNOT"), branch(to), jump(to), leave, random.pick(others)],
      ]);
    };
    const drawn = Array.from({ length }, drawStep);
    const steps = random.chance(0.5) ? [...locals.map(store), ...drawn] : drawn;
    if (check({ params, locals, steps })) taken += 1;
  }
  expect(taken).toBeGreaterThan(0.1 * turns);
  expect(turns - taken).toBeGreaterThan(0.1 * turns);
});
