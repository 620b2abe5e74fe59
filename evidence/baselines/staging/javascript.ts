/**
 * Staged program → JavaScript source → function, by `new Function`. Doubles; one lane after the
 * other in a loop of the generated function, so that a batch is one call.
 *
 * Two forms: `lanes` gives values and gradients of every lane; `loss` adds up mean squares and
 * their gradients by shared parameters over rows, as a fit needs them.
 */

import { CLAMP, isLocal, type Operand, type Staged, type Statement } from "./ir.js";

/** Columns by input (an array a lane, or a number of all lanes in an array of one) and results. */
export type LaneCall = (
  lanes: number,
  columns: readonly ArrayLike<number>[],
  out: readonly Float64Array[],
) => void;

const name = (local: number): string => `v${local}`;
const text = (operand: Operand): string => {
  if (isLocal(operand)) return name(operand.local);
  return operand.value < 0 || Object.is(operand.value, -0)
    ? `(${operand.value})`
    : String(operand.value);
};

function expression({ op, of }: Statement & { kind: "op" }): string {
  const [a, b] = of.map(text);
  switch (op) {
    case "+":
    case "-":
    case "*":
    case "/":
      return `${a}${op}${b}`;
    case "neg":
      return `-${a}`;
    case "set":
      return a as string;
    case "clamp":
      return `Math.max(${a},${CLAMP})`;
    case "gate":
      return `${b}>${CLAMP}?${a}:0`;
    default:
      return `Math.${op}(${a})`;
  }
}

/** JavaScript's tests; equality of doubles is ===. */
const tests = { "=": "===", "<": "<", ">": ">", "<=": "<=", ">=": ">=" } as const;

export function linesOf(statements: readonly Statement[], keeps: boolean): string[] {
  return statements.flatMap((each): string[] => {
    switch (each.kind) {
      case "op":
        return [`${name(each.out)}=${expression(each)};`];
      case "load":
        return [
          `${name(each.out)}=${each.array}[${text(each.index)}*${each.scale}+${each.offset}];`,
        ];
      case "if": {
        const { test, flag } = each;
        const asked = test
          ? `${name(flag)}=${text(test.left)}${tests[test.name]}${text(test.right)}?1:0;`
          : "";
        return [
          `${asked}if(${name(flag)}===1){`,
          ...linesOf(each.yes, keeps),
          "}else{",
          ...linesOf(each.no, keeps),
          "}",
        ];
      }
      case "loop": {
        const { test, saved, turns } = each;
        const asked = `${text(test.left)}${tests[test.name]}${text(test.right)}`;
        const pushes = keeps && saved.length > 0;
        return [
          `${name(turns)}=0;for(;;){`,
          ...linesOf(each.head, keeps),
          `if(${each.leavesWhen ? asked : `!(${asked})`})break;`,
          ...linesOf(each.body, keeps),
          ...(pushes ? saved.map((local, i) => `tape[sp+${i}]=${name(local)};`) : []),
          pushes ? `sp+=${saved.length};` : "",
          ...linesOf(each.next, keeps),
          `${name(turns)}++;}`,
        ];
      }
      case "back": {
        const { turns, saved } = each;
        return [
          `for(;${name(turns)}>0;${name(turns)}--){`,
          saved.length > 0 ? `sp-=${saved.length};` : "",
          ...saved.map((local, i) => `${name(local)}=tape[sp+${i}];`),
          ...linesOf(each.body, keeps),
          "}",
        ];
      }
      default:
        return [];
    }
  });
}

/** Numbers that a loop may keep for the way back. */
const TAPE = 1 << 16;

const declarations = ({ locals }: Staged): string =>
  `let sp=0,${Array.from({ length: locals }, (_, i) => `${name(i)}=0`).join(",")};`;

const header = (arrays: readonly string[]): string =>
  arrays.map((array) => `const ${array}=arrays.get(${JSON.stringify(array)});`).join("");

/** The text of a function (lanes, columns, out): out[0] are values, then gradients by `wrt`. */
export function laneSource(
  staged: Staged,
  order: readonly string[],
  arrays: readonly string[],
  wrt: readonly string[],
): string {
  const reads = order.flatMap((input, i) => {
    const local = staged.inputs.get(input);
    return local === undefined ? [] : [`${name(local)}=c${i}[l];`];
  });
  const writes = wrt.map((each, i) => {
    const gradient = staged.gradients.get(each);
    return `o${i + 1}[l]=${gradient === undefined ? 0 : name(gradient)};`;
  });
  const isForward = wrt.length === 0;
  return [
    header(arrays),
    `const tape=new Float64Array(${TAPE});`,
    "return function(lanes,columns,out){",
    ...order.map((_, i) => `const c${i}=columns[${i}];`),
    ...Array.from({ length: wrt.length + 1 }, (_, i) => `const o${i}=out[${i}];`),
    declarations(staged),
    "for(let l=0;l<lanes;l++){",
    ...reads,
    ...linesOf(staged.forward, !isForward),
    `o0[l]=${text(staged.result)};`,
    ...(isForward ? [] : [`${name(staged.seed)}=1;`, ...linesOf(staged.backward, true)]),
    ...writes,
    "}}",
  ].join("\n");
}

/** The text of a function (p, x, y, slopes) → mean square; slopes get the gradients by `wrt`. */
export function lossSource(staged: Staged, wrt: readonly string[], column: string): string {
  const reads = wrt.flatMap((each, i) => {
    const local = staged.inputs.get(each);
    return local === undefined ? [] : [`${name(local)}=p[${i}];`];
  });
  const x = staged.inputs.get(column);
  const sums = wrt.map((each, i) => {
    const gradient = staged.gradients.get(each);
    return gradient === undefined ? "" : `s${i}+=${name(gradient)};`;
  });
  return [
    `const tape=new Float64Array(${TAPE});`,
    "return function(p,x,y,slopes){",
    declarations(staged),
    `let total=0;${wrt.map((_, i) => `let s${i}=0;`).join("")}const n=x.length;`,
    ...reads,
    "for(let l=0;l<n;l++){",
    x === undefined ? "" : `${name(x)}=x[l];`,
    ...linesOf(staged.forward, true),
    `const e=${text(staged.result)}-y[l];total+=e*e;${name(staged.seed)}=2*e/n;`,
    ...linesOf(staged.backward, true),
    ...sums,
    "}",
    ...wrt.map((_, i) => `slopes[${i}]=s${i};`),
    "return total/n;}",
  ].join("\n");
}

export type LossCall = (
  p: Float64Array,
  x: Float64Array,
  y: Float64Array,
  slopes: Float64Array,
) => number;

export function makeFunction<T>(source: string, arrays: ReadonlyMap<string, Float64Array>): T {
  return new Function("arrays", source)(arrays) as T;
}
