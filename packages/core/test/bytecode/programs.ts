/** Stack programs that between them use every instruction, edge, copy and kind of call. */

const lines = (text: string): string => text.trim().split("/").join("\n");

/** More locals than a word has bits, changed in both arms and read afterwards. */
const wide = (count: number): string => {
  const names = Array.from({ length: count }, (_, i) => `v${i}`);
  return [
    ...names.flatMap((name) => ["LOAD x", `STORE ${name}`]),
    ...["LOAD x", "PUSH 0", "LT", "BRANCH else"],
    ...names.slice(30).flatMap((name) => ["LOAD y", `STORE ${name}`]),
    "JUMP end",
    `else: LOAD v0\nSTORE v${count - 1}`,
    "end: LOAD v31",
    ...names.slice(32).flatMap((name) => [`LOAD ${name}`, "ADD"]),
  ].join("\n");
};

const sources: Readonly<Record<string, string>> = {
  "literals of every kind":
    "PUSH 1/PUSH -7/PUSH 2.5/PUSH -0/PUSH -0.0/PUSH 1e3/PUSH 16777217/PUSH 4294967296/PUSH inf/PUSH -inf/PUSH nan/PUSH true/PUSH #f/PUSH nil/PUSH ()/PUSH 'a/PUSH 'b/PUSH 'a/PROC SQRT/LIST 19",
  "clamped ones": "LOAD x/SQRT/LOAD y/LOG/ADD/PROC LOG/DROP",
  "stack moves": "LOAD a/LOAD b/LOAD c/PICK 2/SWAP/DUP/DROP/ADD/MUL/SUB",
  "a branch": "LOAD a/PUSH 0/LT/BRANCH neg/LOAD a/JUMP end/neg: LOAD b/end: PUSH 2/MUL",
  "a branch when not": "LOAD a/PUSH 0/LT/BRANCHNOT pos/LOAD b/RET/pos: LOAD a",
  "fresh and older results":
    "LOAD a/PUSH 0/LT/BRANCH n/LOAD a/LOAD b/MUL/JUMP e/n: LOAD a/ADD 1/e: LOAD b/ADD",
  "a local changed on one way":
    "LOAD a/STORE s/LOAD b/STORE t/LOAD a/PUSH 0/LT/BRANCH k/LOAD b/STORE s/k: LOAD s/LOAD t/ADD",
  "a local that dies":
    "LOAD a/STORE s/LOAD a/PUSH 0/LT/BRANCH k/LOAD b/STORE s/LOAD s/STORE u/JUMP j/k: LOAD a/STORE u/j: LOAD u",
  "branches in branches":
    "LOAD a/PUSH 0/LT/BRANCH x/LOAD b/PUSH 1/GT/BRANCH y/LOAD a/JUMP e/y: LOAD b/JUMP e/x: LOAD b/PUSH 2/GT/BRANCHNOT z/PUSH 1.5/JUMP f/z: LOAD a/f: PUSH 2/MUL/e: PUSH 3/ADD",
  "swapped in one arm": "LOAD a/LOAD b/LOAD a/PUSH 0/LT/BRANCH k/SWAP/k: SUB",
  "a loop":
    "PUSH 5/STORE n/LOAD a/STORE s/again: LOOP n out/LOAD s/LOAD b/MUL/STORE s/JUMP again/out: LOAD s",
  "a loop over an input's count": "LOAD k/STORE n/t: LOOP n d/JUMP t/d: LOAD n",
  "a loop in a loop":
    "PUSH 3/STORE n/LOAD a/STORE s/o: LOOP n z/PUSH 2/STORE m/i: LOOP m o/LOAD s/LOAD b/ADD/STORE s/JUMP i/z: LOAD s",
  "a loop that is left half-way":
    "PUSH 9/STORE n/LOAD a/STORE s/t: LOOP n d/LOAD s/LOAD b/ADD/STORE s/LOAD s/PUSH 10/GT/BRANCH d/JUMP t/d: LOAD s",
  "an endless loop beside a way out": "LOAD a/PUSH 0/LT/BRANCH f/LOAD a/RET/f: JUMP f",
  "code that nobody reaches": "LOAD a/JUMP e/LOAD b/DROP/e: NEG",
  "a jump to the end": "LOAD a/DUP/PUSH 0/LT/BRANCH 7/NEG/JUMP 7",
  "a procedure": ".proc f x y/LOAD x/LOAD y/SUB/RET/.end/LOAD a/LOAD b/CALL f/PUSH 2/CALL f",
  "tail calls that pass the same and other things":
    ".proc f x y n/LOAD n/PUSH 0/EQ/BRANCH e/LOAD x/PUSH 1/LT/BRANCH o/LOAD x/LOAD y/LOAD n/PUSH 1/SUB/TAILCALL f/o: LOAD x/LOAD x/LOAD n/PUSH 1/SUB/TAILCALL f/e: LOAD x/LOAD y/ADD/.end/LOAD a/LOAD b/PUSH 3/CALL f",
  "a parameter that is stored": ".proc f x/LOAD x/PUSH 2/MUL/STORE x/LOAD x/.end/LOAD a/CALL f",
  "a parameter that counts":
    ".proc f n s/t: LOOP n d/LOAD s/LOAD b/ADD/STORE s/JUMP t/d: LOAD s/.end/PUSH 3/LOAD a/CALL f",
  "closures and captures":
    ".proc add x/.captures k m/LOAD x/LOAD k/MUL/LOAD m/ADD/LOAD q/ADD/.end/.proc twice f x/LOAD f/LOAD f/LOAD x/CALL 1/TAILCALL 1/.end/.proc id x/LOAD x/.end/LOAD a/LOAD b/CLOSURE add/LOAD a/CALL twice/CLOSURE id/PUSH 1/CALL 1/ADD",
  "a closure that calls itself":
    ".proc down n/.captures k/LOAD n/PUSH 0/EQ/BRANCH e/SELF/LOAD n/PUSH 1/SUB/TAILCALL 1/e: LOAD k/.end/LOAD a/CLOSURE down/PUSH 4/CALL 1",
  "apply and primitives as values":
    "PROC ADD/PUSH 1/LOAD a/LOAD b/LIST 2/APPLY 2/PROC NEG/PUSH 4/CALL 1/MUL",
  "older ones from lists":
    "LOAD a/PUSH 0/LT/BRANCH k/LOAD a/LIST 1/CAR/RET/k: LOAD a/LOAD b/LIST 2/PUSH 1/LIST-REF",
  "declared inputs": ".input z y x/.input w/LOAD x/LOAD z/SUB",
  "an element at every end":
    ".proc f x/LOAD x/LOAD x/VEC 2/.end/LOAD a/PUSH 0/LT/BRANCH k/LOAD a/CALL f/RET/k: LOAD b/TAILCALL f",
};

export const stackPrograms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(sources).map(([name, text]) => [name, lines(text)])),
  "more locals than a word has bits": wide(70),
};
