/** A stack program for one element of another's vector: each element is the vector's, however it ends. */

import { afterAll, expect, test } from "vitest";
import { int, Machine } from "../../src/index.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const proc = (name: string, body: string) => `.proc ${name} u/${body}/RET/.end`;
const pair = "LOAD u/LOAD x/VEC 2";
const programs: Readonly<Record<string, string>> = {
  "no procedure": "LOAD x/PUSH 3/VEC 2",
  "one procedure": `${proc("f", pair)}/LOAD x/CALL f`,
  "two procedures": `${proc("f", pair)}/${proc("g", "LOAD u/PUSH 2/MUL/CALL f")}/LOAD x/CALL g`,
  "three procedures": `${proc("f", pair)}/${proc("g", "LOAD u/PUSH 2/MUL/CALL f")}/${proc("h", "LOAD u/PUSH 1/ADD/CALL g")}/LOAD x/CALL h`,
  "a tail call": `${proc("f", pair)}/${proc("g", "LOAD u/PUSH 2/MUL/TAILCALL f")}/LOAD x/TAILCALL g`,
  "two ways out": "LOAD x/PUSH 2/GT/BRANCH l/LOAD x/PUSH 5/VEC 2/RET/l: PUSH 7/LOAD x/VEC 2/RET",
  "a way back":
    "PUSH 3/STORE n/LOAD x/STORE s/t: LOOP n d/LOAD s/PUSH 2/MUL/STORE s/JUMP t/d: LOAD s/LOAD x/VEC 2",
};

test.each(Object.entries(programs))("with %s", (_, lines) => {
  const program = machine.loadBytecode(lines.replaceAll("/", "\n"));
  const element = machine.loadBytecode(program.parsed.elementBy("which").print());
  expect(element.inputs).toEqual([...program.inputs, "which"]);
  for (const x of [1, 4]) {
    const { values } = program.evaluate({ x });
    expect(values).toHaveLength(2);
    for (const which of [0, 1])
      expect(element.evaluate({ x, which: int(which) }).values).toEqual(
        values.slice(which, which + 1),
      );
  }
  element.dispose();
  program.dispose();
});
