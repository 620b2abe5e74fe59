/**
 * Stack programs on the machine: what every program has, without a line for stack code anywhere.
 */

import { afterAll, expect, test } from "vitest";
import { fit, int, Machine, over, vec } from "../../src/index.js";
import { workloads } from "./workloads.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const sourceOf = (start: string): string =>
  workloads.find(({ file }) => file.startsWith(start))?.source as string;

const decay = "LOAD a\nLOAD k\nLOAD t\nMUL\nEXP\nMUL";

/** Sums 1 … n by recursion that is not in tail position, and by tail calls. */
const deep = `
.proc sum n
        LOAD n
        PUSH 0
        EQ
        BRANCH base
        LOAD n
        PUSH 1
        SUB
        CALL sum
        LOAD x
        ADD
        RET
base:   PUSH 0.0
        RET
.end
        LOAD n
        CALL sum
`;

const long = `
.proc count n acc
        LOAD n
        PUSH 0
        EQ
        BRANCH base
        LOAD n
        PUSH 1
        SUB
        LOAD acc
        LOAD x
        ADD
        TAILCALL count
base:   LOAD acc
        RET
.end
        LOAD n
        PUSH 0.0
        CALL count
`;

test("recursion 100,000 deep evaluates and is differentiated", () => {
  const { values, gradients } = machine
    .loadBytecode(deep)
    .gradient({ n: int(100_000), x: 0.5 }, { wrt: ["x"] });
  expect(values[0]).toBe(50_000);
  expect(gradients["x"]?.[0]).toBe(100_000);
});

test("a million tail calls with real state run in constant memory", async () => {
  const small = await Machine.create({ memoryMax: 8 * 2 ** 20 });
  const { values } = small
    .loadBytecode(long)
    .evaluate({ n: int(1_000_000), x: 0.25 }, { replay: false });
  expect(values[0]).toBe(250_000);
  small.dispose();
});

test("a block that leads to itself may store what it did not make", () => {
  const source = `
        LOAD n
        STORE m
        PUSH 9.0
        STORE y
again:  LOAD x
        STORE y
        LOAD m
        PUSH 1.0
        SUB
        STORE m
        LOAD m
        PUSH 0.0
        >
        BRANCH again
        LOAD y`;
  const program = machine.loadBytecode(source);
  const { values } = program.evaluate({ n: [1, 3, 2], x: [0.5, 0.25, 8] });
  expect([...values]).toEqual([0.5, 0.25, 8]);
  program.dispose();
});

test("a loop that lanes leave at different turns runs in constant memory", async () => {
  const small = await Machine.create({ memoryMax: 8 * 2 ** 20 });
  const source = "LOAD x\nSTORE y\nt: LOOP n d\nLOAD y\nPUSH 1.0\nADD\nSTORE y\nJUMP t\nd: LOAD y";
  const program = small.loadBytecode(`LOAD k\nSTORE n\n${source}`);
  const { values, stats } = program.evaluate(
    { k: [200_000, 100_000, 50_000], x: 0.5 },
    { replay: false },
  );
  expect([...values]).toEqual([200_000.5, 100_000.5, 50_000.5]);
  expect(stats.walks).toBe(1);
  small.dispose();
});

test("a program of 100,000 instructions loads", () => {
  const source = `PUSH 0\n${"PUSH 1\nADD\n".repeat(50_000)}`;
  expect(machine.loadBytecode(source).evaluate().values[0]).toBe(50_000);
});

test("2,000 branches one inside the other load and run", () => {
  const open = Array.from({ length: 2000 }, (_, i) => `LOAD x\nPUSH ${i}\nLT\nBRANCH b${i}`);
  const close = Array.from({ length: 2000 }, (_, i) => `b${i}:`).reverse();
  const source = `PUSH 0\nSTORE y\n${open.join("\n")}\nPUSH 1\nSTORE y\n${close.join("\n")}\nLOAD y`;
  const { values } = machine.loadBytecode(source).evaluate({ x: [5000, 3.5, -1] });
  expect([...values]).toEqual([1, 0, 0]);
});

test("sessions, axes and Jacobians take stack code", () => {
  const program = machine.loadBytecode(decay);
  const axes = program.gradient(
    { a: over("restart", [1, 2]), k: -0.5, t: over("data", [0, 1, 2]) },
    { wrt: ["a", "k"], reduce: true },
  );
  expect(axes.gradients["a"]).toHaveLength(2);
  const session = program.session({ a: [1, 2], k: -0.5, t: 1 }, { wrt: ["a"] });
  session.set("a", [3, 4]);
  session.run();
  const vector = machine.loadBytecode("LOAD a\nLOAD a\nLOAD k\nMUL\nVEC 2");
  const { jacobians } = vector.jacobian({ a: 3, k: 2 });
  expect([...(jacobians["a"] as Float64Array)]).toEqual([1, 2]);
});

test("a pool runs stack code, loaded or as text", async () => {
  const pool = await machine.pool({ workers: 1 });
  const inputs = { a: [1, 2, 3], k: -0.5, t: 1 };
  const expected = machine.loadBytecode(decay).gradient(inputs, { wrt: ["a"] });
  const loaded = await pool.gradient(machine.loadBytecode(decay), inputs, { wrt: ["a"] });
  expect(loaded.values).toEqual(expected.values);
  const text = await pool.evaluate(decay, inputs, { load: { language: "bytecode" } });
  expect(text.values).toEqual(expected.values);
  await pool.dispose();
});

test("fit finds the constants of stack code", async () => {
  const t = Float64Array.from({ length: 20 }, (_, i) => i * 0.25);
  const y = t.map((time) => 3 * Math.exp(-0.7 * time));
  const params = { a: { start: 1 }, k: { start: -0.1 } };
  const result = await fit(machine.loadBytecode(decay), { data: { t, y }, target: "y", params });
  expect(result.best.params["a"]).toBeCloseTo(3, 6);
  expect(result.best.params["k"]).toBeCloseTo(-0.7, 6);
});

test("fit takes several targets from a vector, early returns included", async () => {
  const source =
    "LOAD t\nPUSH 2\nLT\nBRANCH early\nLOAD a\nLOAD b\nVEC 2\nRET\nearly: LOAD b\nLOAD a\nVEC 2";
  const t = [0, 1, 2, 3];
  const data = { t, u: [5, 5, 2, 2], v: [2, 2, 5, 5] };
  const params = { a: { start: 1 }, b: { start: 1 } };
  const result = await fit(machine.loadBytecode(source), { data, target: ["u", "v"], params });
  expect(result.best.params["a"]).toBeCloseTo(2, 6);
  expect(result.best.params["b"]).toBeCloseTo(5, 6);
});

test("reports name the instructions", () => {
  const source = sourceOf("w3");
  const program = machine.loadBytecode(source);
  const { branches, predicateOnly } = program.diagnose({ a: 1, b: 2, x: [1, 3, 4] });
  expect(branches).toHaveLength(1);
  expect(branches[0]).toMatchObject({ text: "BRANCHNOT beyond", taken: 1, notTaken: 2 });
  expect(predicateOnly).toEqual([]);
  const explained = program.explain({ a: 1, b: 2, x: 1 });
  expect(explained.core).toContain("BRANCHNOT L1");
  expect(explained.tape.map(({ op }) => op)).toContain("mul");
});

test("a number that is not finite is told with the instruction that made it", () => {
  const { nonFinite } = machine.loadBytecode("LOAD x\nLOG\nPUSH 2\nMUL").evaluate({ x: [1, 0] });
  expect(nonFinite[0]?.message).toContain("first made so by LOG");
});

test("the domain clamp holds for stack code", () => {
  const clamped = machine.loadBytecode("LOAD x\nLOG", { domain: "clamp" });
  expect(clamped.evaluate({ x: -1 }).values[0]).toBeCloseTo(Math.log(1e-8), 12);
});

test("lanes part where structure differs, and each gets its own", () => {
  const source =
    "LOAD x\nPUSH 0\nLT\nBRANCH neg\nPUSH 'plus\nLOAD x\nLIST 2\nRET\nneg: PUSH 'minus\nRET";
  const result = machine.loadBytecode(source).evaluate({ x: [1, -1, 2] });
  expect([0, 1, 2].map((lane) => result.print(lane))).toEqual(["(plus 1)", "minus", "(plus 2)"]);
});

test("locals that nobody reads any more do not part lanes", () => {
  const side = (name: string) => `PUSH '${name}\nLIST 1\nSTORE seen\nLOAD seen\nLENGTH\nSTORE n`;
  const source = `LOAD x\nPUSH 0\nLT\nBRANCH neg\n${side("a")}\nJUMP end\nneg: ${side("b")}\nend: LOAD n\nLOAD x\nADD`;
  const { values, stats } = machine.loadBytecode(source).evaluate({ x: [1, -1] });
  expect([...values]).toEqual([2, 0]);
  expect(stats.buckets).toBe(0);
});

test("steps are those of a lane's own path in every batch", () => {
  const { source } = workloads.find(({ file }) => file.startsWith("w7")) as { source: string };
  const program = machine.loadBytecode(source);
  const lanes = [2, 1, 100, 12345, 0.01];
  const alone = lanes.map((a) => program.evaluate({ a, b: 1 }, { replay: false }).stats.steps);
  const least = Math.min(...alone);
  const { failures } = program.evaluate({ a: lanes, b: 1 }, { replay: false, stepsMax: least });
  expect(failures.map(({ lane }) => lane)).toEqual(
    alone.flatMap((steps, lane) => (steps > least ? [lane] : [])),
  );
});

test("closures share what they captured, and primitives are values", () => {
  const source = [
    ".proc twice x",
    ".captures f",
    "LOAD f",
    "LOAD f",
    "LOAD x",
    "CALL 1",
    "CALL 1",
    ".end",
    "PROC SQUARE",
    "CLOSURE twice",
    "LOAD a",
    "CALL 1",
  ].join("\n");
  const { values, gradients } = machine.loadBytecode(source).gradient({ a: 3 });
  expect(values[0]).toBe(81);
  expect(gradients["a"]?.[0]).toBe(4 * 27);
});

test("vectors and matrices are inputs of stack code", () => {
  const { values } = machine.loadBytecode("LOAD v\nDUP\nDOT").evaluate({ v: vec([1, 2, 3]) });
  expect(values[0]).toBe(14);
});

test("what lies below a branch outlives compaction in a side that dropped it", () => {
  const source = `
.proc churn n x
again:  LOOP n done
        LOAD x
        PUSH 0.5
        ADD
        PUSH nil
        CONS
        CAR
        STORE x
        JUMP again
done:   LOAD x
        RET
.end
        LOAD x
        PUSH 2.0
        MUL
        STORE kept
        LOAD x
        PUSH 3.0
        MUL
        LOAD kept
        LOAD x
        LIST 2
        LOAD x
        PUSH 0
        LT
        BRANCH negative
        CAR
        ADD
        JUMP end
negative: DROP
        DROP
        PUSH 60000
        LOAD x
        CALL churn
end:    LOAD kept
        SUB
`;
  const { values, stats } = machine
    .loadBytecode(source)
    .evaluate({ x: [1, -1, 2, -2] }, { replay: false });
  expect([...values]).toEqual([3, 30_001, 6, 30_002]);
  expect(stats.compactions).toBeGreaterThan(1);
  expect(stats.walks).toBe(1);
});
