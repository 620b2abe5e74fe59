/**
 * The verifier: judges a procedure before it is loaded. Every instruction finds what it takes on the
 * stack, all ways to an instruction agree about the height, a procedure leaves one value, and no
 * local is read before it is stored. What it found out goes to the encoder.
 */

import { NdvmError } from "../errors.js";
import { BitRows } from "./bits.js";
import { type Block, Flow, leaves } from "./flow.js";
import { shown } from "./lines.js";
import { effectOf, type Instruction, type Procedure } from "./program.js";

export interface Verified {
  readonly procedure: Procedure;
  readonly flow: Flow;
  /** Values on the operand stack before each instruction; −1 where it is never reached. */
  readonly heights: Int32Array;
  readonly heightMax: number;
  /** By block: locals that are read before they are stored again. */
  readonly live: BitRows;
}

export function verify(procedure: Procedure, procedures: readonly Procedure[]): Verified {
  const flow = new Flow(procedure.code);
  const heights = measureHeights(procedure, procedures);
  checkAssignments(procedure, flow);
  let heightMax = 0;
  procedure.code.forEach((instruction, i) => {
    const height = heights[i] as number;
    const [taken, left] = effectOf(instruction, procedures);
    if (height >= 0) heightMax = Math.max(heightMax, height, height - taken + left);
  });
  return { procedure, flow, heights, heightMax, live: liveLocals(procedure, flow) };
}

function measureHeights({ name, code }: Procedure, procedures: readonly Procedure[]): Int32Array {
  const heights = new Int32Array(code.length).fill(-1);
  const cameFrom = new Int32Array(code.length).fill(-1);
  const work: number[] = [0];
  heights[0] = 0;
  const reach = (to: number, height: number, from: number) => {
    if (heights[to] === -1) {
      heights[to] = height;
      cameFrom[to] = from;
      work.push(to);
    } else if (heights[to] !== height) {
      throw unbalanced(code, to, [cameFrom[to] as number, heights[to] as number], [from, height]);
    }
  };
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    const instruction = code[i] as Instruction;
    const height = heights[i] as number;
    const [taken, left] = effectOf(instruction, procedures);
    if (height < taken) throw underflow(instruction, taken, height, name);
    if (leaves(instruction)) {
      if (height !== taken) throw leftBehind(instruction, height - taken);
      continue;
    }
    const after = height - taken + left;
    if ("target" in instruction) reach(instruction.target, after, i);
    if (instruction.kind !== "jump") reach(i + 1, after, i);
  }
  return heights;
}

const values = (count: number): string => `${count} value${count === 1 ? "" : "s"}`;

function underflow(
  { text, span, isImplied }: Instruction,
  taken: number,
  height: number,
  name: string | undefined,
): NdvmError {
  if (isImplied) {
    const what = name === undefined ? "the program" : shown(name);
    return new NdvmError("E-STACK", `${what} ends without a value on the stack`, {
      span,
      help: "what is on the stack at the end is its value; push one",
    });
  }
  return new NdvmError(
    "E-STACK",
    `${text} needs ${values(taken)} on the stack, there ${height === 1 ? "is" : "are"} ${height || "none"}`,
    { span, help: "push what it takes first; operands come before their instruction" },
  );
}

function leftBehind({ span, isImplied, text }: Instruction, count: number): NdvmError {
  const what = isImplied ? "the end" : text;
  return new NdvmError("E-STACK", `${what} leaves ${values(count)} behind on the stack`, {
    span,
    help: "a procedure leaves exactly one value, its result; DROP what is not needed",
  });
}

function unbalanced(
  code: readonly Instruction[],
  to: number,
  [firstFrom, first]: readonly [number, number],
  [secondFrom, second]: readonly [number, number],
): NdvmError {
  const via = (from: number) =>
    from < 0 ? "at the start" : `after ${shown(code[from]?.text ?? "")}`;
  const { span, text } = code[secondFrom] as Instruction;
  const place = code[to]?.isImplied ? "the end" : shown(code[to]?.text ?? "");
  return new NdvmError(
    "E-STACK",
    `${place} is reached with ${values(second)} on the stack here, with ${first} ${via(firstFrom)}`,
    {
      span,
      help: `both ways to an instruction leave the stack at one height; ${text} and what comes before it differ`,
    },
  );
}

/** Calls `read` and `write` for the slots of locals that an instruction uses. */
function touches(
  instruction: Instruction,
  read: (slot: number) => void,
  write: (slot: number) => void,
): void {
  if (instruction.kind === "local" || instruction.kind === "loop") read(instruction.slot);
  if (instruction.kind === "store") write(instruction.slot);
}

/** Refuses a LOAD that some way reaches without a STORE. */
function checkAssignments(procedure: Procedure, flow: Flow): void {
  const { code, slots, params } = procedure;
  if (slots.length === params.length) return;
  const { blocks, before, isReachable } = flow;
  const assigned = new BitRows(blocks.length, slots.length);
  assigned.fill();
  assigned.clearRow(0);
  for (let slot = 0; slot < params.length; slot++) assigned.add(0, slot);
  const out = new BitRows(1, slots.length);
  const work = [...blocks.keys()].filter((block) => isReachable[block] === 1).reverse();
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    const { start, end, next } = blocks[block] as Block;
    out.copyRow(0, assigned, block);
    for (let i = start; i < end; i++)
      touches(code[i] as Instruction, ignore, (slot) => out.add(0, slot));
    for (const to of next) if (assigned.keepOnly(to, out, 0)) work.push(to);
  }
  blocks.forEach(({ start, end }, block) => {
    if (isReachable[block] === 0 || (block > 0 && before[block]?.length === 0)) return;
    out.copyRow(0, assigned, block);
    for (let i = start; i < end; i++) {
      const instruction = code[i] as Instruction;
      touches(
        instruction,
        (slot) => {
          if (!out.has(0, slot)) throw unassigned(instruction, slots[slot] as string);
        },
        (slot) => out.add(0, slot),
      );
    }
  });
}

const ignore = (): void => {};

function unassigned({ span }: Instruction, name: string): NdvmError {
  return new NdvmError("E-UNINITIALISED", `${shown(name)} can be read before it is stored`, {
    span,
    help: `STORE ${shown(name)} on every way that leads here`,
  });
}

/** Locals that are live at the start of each block. */
function liveLocals({ code, slots }: Procedure, { blocks, before, isReachable }: Flow): BitRows {
  const live = new BitRows(blocks.length, slots.length);
  const work = [...blocks.keys()].filter((block) => isReachable[block] === 1);
  const row = new BitRows(1, slots.length);
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    const { start, end, next } = blocks[block] as Block;
    row.clearRow(0);
    for (const to of next) row.addRow(0, live, to);
    for (let i = end - 1; i >= start; i--)
      touches(
        code[i] as Instruction,
        (slot) => row.add(0, slot),
        (slot) => row.remove(0, slot),
      );
    if (live.addRow(block, row, 0)) work.push(...(before[block] ?? []));
  }
  return live;
}
