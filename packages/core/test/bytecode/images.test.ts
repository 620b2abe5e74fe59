/**
 * Stack programs word by word: what the assembler reads, what the encoder writes for it, and what the
 * machine may ask. Changing one of them changes these texts, and someone reads the difference.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { BitRows } from "../../src/bytecode/bits.js";
import { disassemble } from "../../src/bytecode/disassemble.js";
import { Flow } from "../../src/bytecode/flow.js";
import { instructions, knownNames, usualCount } from "../../src/bytecode/instructions.js";
import { ParsedBytecode } from "../../src/bytecode/parsed-bytecode.js";
import { verify } from "../../src/bytecode/verify.js";
import { Machine, NdvmError } from "../../src/index.js";
import { primitives } from "../../src/primitives/index.js";
import * as layout from "../../src/program/layout.js";
import { imageText, parsedText } from "../program/image-text.js";
import { stackPrograms } from "./programs.js";
import { workloads } from "./workloads.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.info(`stack images: SEED=${SEED}`);

const double = { integerMax: 2 ** 31 - 1, clamps: false, findsLoops: true };
const sources: readonly (readonly [string, string])[] = [
  ...Object.entries(stackPrograms),
  ...workloads.map(({ file, source }) => [file, source] as const),
];

/** Procedures with their code as text. */
function assembled(source: string): string {
  const { procedures, inputs, declaresInputs } = assemble(source);
  const told = procedures.map((procedure) => {
    const { code, span, ...rest } = procedure;
    const { flow, heights, heightMax } = verify(procedure, procedures);
    const actions = code.map(({ text, span: at, ...action }, i) => {
      const fields = JSON.stringify(action, (key, value) =>
        key === "primitive" ? value.name : value,
      );
      return `${i} ${at.start}-${at.end} ${text} ${heights[i]} ${fields}`;
    });
    const blocks = flow.blocks.map(
      ({ start, end, next }, i) =>
        `${start}-${end} to ${next} from ${flow.before[i]} meets ${flow.meets[i]} ${flow.isReachable[i]}`,
    );
    return [JSON.stringify(rest), `${span.start}-${span.end}, ${heightMax}`, ...actions, ...blocks];
  });
  return [`inputs ${inputs}, declared ${declaresInputs}`, ...told.flat()].join("\n");
}

describe("a stack program", () => {
  test.each(sources)("%s", (_, source) => {
    expect(assembled(source)).toMatchSnapshot("assembled");
    const parsed = new ParsedBytecode(assemble(source));
    expect(imageText(parsed.encode(double), parsed, source)).toMatchSnapshot("image");
    expect(disassemble(assemble(source))).toMatchSnapshot("listing");
  });

  test("of very many branches copies more than it must, and comes to the same", async () => {
    const nested = (count: number): string => {
      const each = Array.from({ length: count }, (_, i) => i);
      return [
        ...["LOAD a", "STORE s", "LOAD b", "STORE t"],
        ...each.flatMap((i) => ["LOAD a", `PUSH ${i}`, "LT", `BRANCH k${i}`]),
        ...["LOAD b", "STORE s"],
        ...each.reverse().flatMap((i) => [`k${i}: LOAD s`, "DROP"]),
        ...["LOAD s", "LOAD t", "ADD"],
      ].join("\n");
    };
    const wordsOf = (source: string): number =>
      new ParsedBytecode(assemble(source)).encode(double).words.length;
    expect(wordsOf(nested(500)) - wordsOf(nested(400))).toBe(3700);
    // Two thousand branches around each other visit four million blocks: then t counts as changed, too.
    expect(wordsOf(nested(2100))).toMatchInlineSnapshot(`81604`);
    const machine = await Machine.create();
    const program = machine.load(nested(2100), { language: "bytecode" });
    const { values, gradients } = program.gradient({ a: [-1, 1000.5, 3000], b: 5 });
    expect([...values]).toEqual([4, 1005.5, 10]);
    expect([...(gradients["b"] as Float64Array)]).toEqual([1, 1, 2]);
    machine.dispose();
  });

  test("f32 keeps smaller integers, and clamps are other ops", () => {
    for (const name of ["literals of every kind", "clamped ones"]) {
      const source = stackPrograms[name] as string;
      const parsed = new ParsedBytecode(assemble(source));
      const image = parsed.encode({ integerMax: 2 ** 24, clamps: true, findsLoops: true });
      expect(imageText(image, parsed, source)).toMatchSnapshot(name);
    }
  });

  test("an element is taken at every end, of the program alone", () => {
    const source = stackPrograms["an element at every end"] as string;
    const parsed = new ParsedBytecode(assemble(source)).elementBy("which");
    expect(parsed.inputs).toEqual(["a", "b", "which"]);
    expect(imageText(parsed.encode(double), parsed, source)).toMatchSnapshot();
    expect(parsed.print()).toMatchSnapshot("listing");
  });

  test("every answer about a program", () => {
    const source = stackPrograms["closures and captures"] as string;
    const parsed = new ParsedBytecode(assemble(source));
    const nodes = parsed.bytecode.procedures.reduce((sum, { code }) => sum + code.length, 0);
    expect(parsedText(parsed, nodes + 4)).toMatchSnapshot();
    expect([0, 1, 2, 3].map((i) => parsed.procedureAt(nodes + i))).toEqual([
      { name: "add", min: 1, max: 1 },
      { name: "twice", min: 2, max: 2 },
      { name: "id", min: 1, max: 1 },
      { name: undefined, min: 0, max: 0 },
    ]);
    expect([parsed.builtins, parsed.libraryCall()]).toEqual([[], undefined]);
    const faults = Object.entries(layout).filter(([name]) => name.startsWith("FAULT_"));
    expect(
      faults.map(([name, code]) => `${name} ${parsed.helpFor(code) ?? "·"}`),
    ).toMatchSnapshot();
  });

  test("spellings and usual counts", () => {
    expect(instructions).toMatchSnapshot("instructions");
    expect(knownNames).toMatchSnapshot("names");
    expect(primitives.map((one) => `${one.name} ${usualCount(one)}`)).toMatchSnapshot("counts");
  });
});

const bad: readonly string[] = [
  ...["", "; nothing", "ADD", "PUSH 1\nADD", "PUSH 1\nPUSH 2", "PUSH 1\nSTORE a", "RET", "DROP"],
  ...["PUSH 1\nPICK 1", "PUSH 1\nPICK -1", "PUSH 1\nPICK 65536", "PUSH 1\nPICK 65537", "SWAP"],
  ...["PUSH 1\nJUMP 3", "PUSH 1\nJUMP -1", "JUMP x", "b: JUMP a", "PUSH 1\nBRANCH 0"],
  ...["PUSH 1\nSQRRT", "PROC sqrrt", "PROC", "PROC SQRT 1", "PUSH", "PUSH 1 2", "PUSH x", "PUSH '"],
  ...[
    "a: a: PUSH 1",
    "1: PUSH 1",
    ": PUSH 1",
    "a: .end",
    "a: .input x",
    ".end",
    ".input x\nLOAD y",
  ],
  ...[".proc", ".proc f\nPUSH 1", ".proc 1 x\n.end\nPUSH 1", ".proc f\n.proc g\n.end", ".prok f"],
  ...[".proc f\nPUSH 1\n.end x\nPUSH 1", ".proc f\n.input x\n.end\nPUSH 1", ".captures x\nPUSH 1"],
  ...[
    ".proc f x\nPUSH 1\n.captures k\n.end\nPUSH 1",
    ".proc f x\n.captures x\nPUSH 1\n.end\nPUSH 1",
  ],
  ...[".proc f x x\nPUSH 1\n.end\nPUSH 1", ".proc f\nPUSH 1\n.end\n.proc f\nPUSH 1\n.end\nPUSH 1"],
  ...[
    "CALL",
    "CALL f",
    "CALL 0",
    "CALL 65537",
    "TAILCALL 1",
    "APPLY 0",
    "APPLY x",
    "CLOSURE f",
    "LOOP n",
  ],
  ...["LOOP n x", ".input n\na: LOOP n a", ".proc g\n.captures k\nLOAD k\nSTORE k\n.end\nPUSH 1"],
  ...["PUSH 1\nSIN 2", "PUSH 1\nVEC", "VEC 0", "PUSH 1\nADD x", "PUSH 1\nADD 1 1", "PUSH 1\nMAX 0"],
  ...[".proc f x\n.captures k\nLOAD x\n.end\nPUSH 1\nCALL f", "LOAD x\nSTORE", "LOAD"],
  ...["LOAD x\nPUSH 0\nLT\nBRANCH on\nPUSH 1\nSTORE y\non: LOAD y", `PUSH ${"x".repeat(60)}`],
  ...["LOAD x\nPUSH 0\nLT\nBRANCH n\nPUSH 1\nJUMP e\nn: PUSH 1\nPUSH 2\ne: RET"],
  ...[".proc f x\nLOAD x\nPUSH 1\nRET\n.end\nPUSH 1", ".proc f\n.end\nPUSH 1", "PUSH 1\nCLOSURE"],
];

test("what does not load, with code, place, words and help", async () => {
  const machine = await Machine.create();
  const told = bad.map((source) => {
    try {
      machine.loadBytecode(source);
      return `${JSON.stringify(source)} loads`;
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      const { code, span, message, help } = error;
      return `${JSON.stringify(source)} ${code} ${span?.start}-${span?.end} ${message} | ${help}`;
    }
  });
  expect(told).toMatchSnapshot();
  machine.dispose();
});

describe("rows of bits", () => {
  const SIZE = 70;
  const bit = fc.nat(SIZE - 1);
  const row = fc.nat(2);
  const step = fc.oneof(
    fc.record({ what: fc.constantFrom("add", "remove"), row, bit }),
    fc.record({
      what: fc.constantFrom("addRow", "keepOnly", "copyRow", "clearRow"),
      row,
      bit: row,
    }),
  );

  test("do what sets do", () => {
    const property = fc.property(
      fc.array(step, { maxLength: 40, size: "max" }),
      fc.boolean(),
      (list, isFull) => {
        const rows = new BitRows(3, SIZE);
        const all = Array.from({ length: SIZE }, (_, i) => i);
        const sets = [0, 1, 2].map(() => new Set(isFull ? all : []));
        if (isFull) rows.fill();
        for (const { what, row: at, bit: other } of list) {
          const mine = sets[at] as Set<number>;
          const theirs = sets[other % 3] as Set<number>;
          const before = [...mine].sort().join();
          let changed: boolean | undefined;
          if (what === "add") rows.add(at, other);
          if (what === "add") mine.add(other);
          if (what === "remove") rows.remove(at, other);
          if (what === "remove") mine.delete(other);
          if (what === "clearRow") rows.clearRow(at);
          if (what === "clearRow") mine.clear();
          if (what === "copyRow" && at !== other) {
            rows.copyRow(at, rows, other);
            sets[at] = new Set(theirs);
          }
          if (what === "addRow") {
            changed = rows.addRow(at, rows, other);
            for (const one of theirs) mine.add(one);
          }
          if (what === "keepOnly") {
            changed = rows.keepOnly(at, rows, other);
            for (const one of mine) if (!theirs.has(one)) mine.delete(one);
          }
          if (changed !== undefined) expect(changed).toBe([...mine].sort().join() !== before);
          for (const [k, set] of sets.entries())
            expect(all.filter((one) => rows.has(k, one))).toEqual([...set].sort((a, b) => a - b));
        }
        expect(rows.size).toBe(SIZE);
      },
    );
    fc.assert(property, { seed: SEED, numRuns: 100 });
  });
});

describe("where ways meet", () => {
  /** Blocks that every way from a block to an end passes, by trying every way without one of them. */
  const slowMeet = (flow: Flow, from: number): number => {
    const reaches = (start: number, without: number): boolean => {
      const seen = new Set([start]);
      const work = [start];
      for (let at = work.pop(); at !== undefined; at = work.pop()) {
        if (at === without) continue;
        if (flow.blocks[at]?.next.length === 0) return true;
        for (const to of flow.blocks[at]?.next ?? [])
          if (!seen.has(to)) {
            seen.add(to);
            work.push(to);
          }
      }
      return false;
    };
    const passed = flow.blocks.flatMap((_, block) =>
      block !== from && reaches(from, -1) && !reaches(from, block) ? [block] : [],
    );
    // The nearest one is passed before all others: without it none of them is reached.
    const nearest = passed.find((block) =>
      passed.every((other) => other === block || !canReach(flow, from, other, block)),
    );
    return nearest ?? -1;
  };
  const canReach = (flow: Flow, from: number, to: number, without: number): boolean => {
    const seen = new Set([from]);
    const work = [from];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (at === to) return true;
      if (at === without) continue;
      for (const next of flow.blocks[at]?.next ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          work.push(next);
        }
    }
    return false;
  };

  test("is the first block that no way to an end avoids", () => {
    const line = (count: number) =>
      fc.oneof(
        fc.constant("PUSH 1\nDROP"),
        fc.nat(count - 1).map((to) => `JUMP l${to}`),
        fc.nat(count - 1).map((to) => `LOAD x\nBRANCH l${to}`),
        fc.constant("PUSH 1\nRET"),
      );
    const program = fc
      .integer({ min: 2, max: 7 })
      .chain((count) => fc.array(line(count), { minLength: count, maxLength: count }));
    fc.assert(
      fc.property(program, (list) => {
        const source = `${list.map((text, i) => `l${i}: ${text}`).join("\n")}\nPUSH 1\nRET`;
        const flow = new Flow(assemble(source).procedures[0]?.code ?? []);
        for (const [block] of flow.blocks.entries())
          if (flow.isReachable[block] === 1)
            expect(flow.meets[block], `${block}\n${source}`).toBe(slowMeet(flow, block));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});
