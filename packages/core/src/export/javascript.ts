/**
 * A program as the text of a JavaScript function that computes the same value from plain numbers.
 *
 * Core nodes are written as expressions where they can be, else as statements that end in a
 * destination: a return, or a variable that is assigned. The language has no side effects, so a
 * part may be computed earlier than it is written, but never a branch that is not taken.
 *
 * Loops and procedures that call themselves in tail position become `for` loops; other tail calls
 * that might go round in a circle return a Bounce, which the caller's `land` goes on with. So tail
 * calls need no stack; other recursion uses JavaScript's, and where that ends the error says so.
 */

import { NdvmError } from "../errors.js";
import { own } from "../records.js";
import type { CallNode, Core, Expansion, IfNode, LambdaNode, Variable } from "../syntax/core.js";
import type { Datum } from "../syntax/datum.js";
import {
  ANYTHING,
  type Analysis,
  analyse,
  BOOLEAN,
  calleeOf,
  type LoopShape,
  NUMBER,
  takes,
} from "./javascript-analysis.js";
import { helperNames, helperTexts } from "./javascript-helpers.js";
import {
  AND,
  type Context,
  inside,
  LOOSE,
  negated,
  type Operand,
  OR,
  type Piece,
  primitiveValue,
  SUM,
  tight,
  UNARY,
  writePrimitive,
} from "./javascript-primitives.js";
import { Names } from "./names.js";

export interface JavaScriptOptions {
  readonly name: string;
  /** Values of inputs that become constants, with a default each. */
  readonly params: Readonly<Record<string, number>>;
  readonly isClamped: boolean;
  readonly isModule: boolean;
  /** Inputs that are surely numbers. */
  readonly numbers: readonly string[];
  /** Whether an input may be a vector though the program has no procedure of vectors. */
  readonly hasTensors: boolean;
}

/** Deeper nesting is refused: readers of JavaScript recurse on their stack. */
const DEPTH_MAX = 400;

export function writeJavaScript(expansion: Expansion, options: JavaScriptOptions): string {
  checkDepth(expansion);
  return new Writer(expansion, options).program();
}

function checkDepth({ nodes }: Expansion): void {
  const depths = new Map<Core, number>();
  for (const node of nodes) {
    let depth = 0;
    for (const child of childrenOf(node)) depth = Math.max(depth, depths.get(child) ?? 0);
    depths.set(node, depth + 1);
    if (depth >= DEPTH_MAX)
      throw new NdvmError("E-REFUSED", `the program is nested more than ${DEPTH_MAX} deep`, {
        span: node.span,
        help: "JavaScript's own readers end there; export it as Scheme or JSON",
      });
  }
}

function childrenOf(node: Core): readonly Core[] {
  switch (node.kind) {
    case "if":
      return [node.test, node.then, node.else];
    case "lambda":
      return [node.body];
    case "define":
      return [node.init];
    case "call":
      return [node.operator, ...node.operands];
    case "let":
    case "letrec":
    case "loop":
      return [...node.inits, node.body];
    case "seq":
      return node.body;
    case "recur":
      return node.operands;
    default:
      return [];
  }
}

/** Where a value goes; `exit` leaves the loop it was computed in. */
type Destination =
  | { readonly kind: "return" }
  | { readonly kind: "assign"; readonly name: string; readonly exit?: string };

/** Names that every object of JavaScript answers to. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The function that is being written. */
interface Frame {
  readonly lambda: LambdaNode | undefined;
  /** Label of the loop that the function's own tail calls start over. */
  readonly label: string | undefined;
}

interface LoopNames {
  readonly label: string;
  /** What is assigned for the next turn. */
  readonly states: readonly string[];
}

class Writer implements Context {
  readonly hasTensors: boolean;
  readonly isClamped: boolean;
  readonly #facts: Analysis;
  readonly #expansion: Expansion;
  readonly #options: JavaScriptOptions;
  readonly #names: Names<Variable | string>;
  readonly #helpers = new Set<string>();
  readonly #loops = new Map<Core, LoopNames>();
  readonly #own = new Map<LambdaNode, LoopNames>();
  /** Quoted structure and primitives used as values, by their text. */
  readonly #constants = new Map<string, string>();
  readonly use = (helper: string): string => {
    this.#helpers.add(helper);
    return helper;
  };
  #frame: Frame = { lambda: undefined, label: undefined };
  #lines: string[] = [];
  #indent = "  ";

  constructor(expansion: Expansion, options: JavaScriptOptions) {
    const { params, numbers, hasTensors } = options;
    this.#facts = analyse(expansion, new Set([...Object.keys(params), ...numbers]), hasTensors);
    this.#expansion = expansion;
    this.#options = options;
    this.hasTensors = this.#facts.hasTensors;
    this.isClamped = options.isClamped;
    this.#names = new Names([...helperNames, options.name]);
  }

  program(): string {
    const { inputs, nodes } = this.#expansion;
    const { params, name } = this.#options;
    const data = inputs.filter((input) => own(params, input) === undefined);
    const checks = data.map((input) => this.#inputLine(input));
    const { second, lines: constants } = this.#constantFields();
    const fields = data.map((input) => this.#field(input)).join(", ");
    const first = fields === "" ? `${this.#names.fresh("_inputs")} = {}` : `{ ${fields} }`;
    const body = (nodes.at(-1) as Core & { kind: "seq" }).body;
    for (const node of body.slice(0, -1)) this.#effect(node);
    const last = body.at(-1) as Core;
    const isNumber = [NUMBER, BOOLEAN].includes(this.#facts.kindOf(last));
    if (isNumber) this.#emit(last, { kind: "return" });
    else {
      const value = this.#expression(last);
      this.#line(`return ${this.use("plain")}(${value.text});`);
    }
    const lines = this.#facts.canNest() ? this.#guardedBody() : this.#lines;
    const values = [...this.#constants].map(([text, own]) => `const ${own} = ${text};`);
    const main = [
      `function ${name}(${first}${second}) {`,
      ...constants,
      ...checks,
      ...lines,
      "}",
    ].join("\n");
    const prefix = this.#options.isModule ? "export " : "";
    return [...helperTexts(this.#helpers), ...values, `${prefix}${main}`, ""].join("\n");
  }

  /** The second parameter, whose fields have defaults, and the lines that take it apart. */
  #constantFields(): { second: string; lines: string[] } {
    const { params } = this.#options;
    const names = this.#expansion.inputs.filter((input) => own(params, input) !== undefined);
    if (names.length === 0) return { second: "", lines: [] };
    const fields = names
      .map((name) => `${this.#field(name)} = ${numberText(own(params, name) as number).text}`)
      .join(", ");
    if (!names.some((name) => INHERITED.has(name)))
      return { second: `, { ${fields} } = {}`, lines: [] };
    // What the caller's object inherits is no constant.
    const given = this.#names.fresh("_constants");
    const line = `  const { ${fields} } = { __proto__: null, ...${given} };`;
    return { second: `, ${given} = {}`, lines: [line] };
  }

  /** The function's lines, with an error that says what to do where JavaScript's stack ends. */
  #guardedBody(): string[] {
    const body = this.#lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}`);
    const rethrow = `    throw ${this.use("explained")}(error);`;
    return ["  try {", ...body, "  } catch (error) {", rethrow, "  }"];
  }

  #field(input: string): string {
    const own = this.#names.of(input, input);
    return own === input ? own : `${JSON.stringify(input)}: ${own}`;
  }

  /** Inputs are checked once: everything after relies on their kind. */
  #inputLine(input: string): string {
    const own = this.#names.of(input, input);
    if (!this.hasTensors || this.#options.numbers.includes(input))
      return `  if (typeof ${own} !== "number") throw new TypeError(${JSON.stringify(`${input} must be a number`)});`;
    return `  ${own} = ${this.use("given")}(${own});`;
  }

  #line(text: string): void {
    this.#lines.push(this.#indent + text);
  }

  /** Lines written by `write`, one step further in. */
  #block(write: () => void): string[] {
    const [lines, indent] = [this.#lines, this.#indent];
    this.#lines = [];
    this.#indent += "  ";
    write();
    const block = this.#lines;
    this.#lines = lines;
    this.#indent = indent;
    return block;
  }

  #fresh(name: string): string {
    return this.#names.fresh(name);
  }

  #name(variable: Variable): string {
    return this.#names.of(variable, variable.name);
  }

  /** Evaluates for its errors only. */
  #effect(node: Core): void {
    if (node.kind === "define") this.#bind(node.variable, node.init);
    else if (this.#facts.isSimple(node)) this.#line(`${guarded(this.#expression(node).text)};`);
    else {
      const name = this.#fresh("unused");
      this.#line(`let ${name};`);
      this.#emit(node, { kind: "assign", name });
    }
  }

  #bind(variable: Variable, init: Core): void {
    const name = this.#name(variable);
    if (this.#facts.isSimple(init)) {
      this.#line(`const ${name} = ${this.#expression(init).text};`);
      return;
    }
    this.#line(`let ${name};`);
    this.#emit(init, { kind: "assign", name });
  }

  #finish(text: string, to: Destination): void {
    if (to.kind === "return") this.#line(`return ${text};`);
    else {
      this.#line(`${to.name} = ${text};`);
      if (to.exit !== undefined) this.#line(`break ${to.exit};`);
    }
  }

  #emit(node: Core, to: Destination): void {
    const loop = this.#facts.loopOf(node);
    if (loop !== undefined) {
      this.#emitLoop(node, loop, to);
      return;
    }
    const recur = this.#facts.recurOf(node);
    if (recur !== undefined) {
      const { label, states } = this.#loops.get(recur) as LoopNames;
      this.#startOver(label, states, (node as CallNode).operands);
      return;
    }
    switch (node.kind) {
      case "if":
        this.#emitIf(node, to);
        break;
      case "let":
      case "letrec":
        for (const [i, init] of node.inits.entries())
          this.#bind(node.variables[i] as Variable, init);
        this.#emit(node.body, to);
        break;
      case "seq":
        for (const part of node.body.slice(0, -1)) this.#effect(part);
        this.#emit(node.body.at(-1) as Core, to);
        break;
      case "call":
        this.#emitCall(node, to);
        break;
      default:
        this.#finish(this.#expression(node).text, to);
    }
  }

  #emitIf(node: IfNode, to: Destination): void {
    if (this.#facts.isSimple(node) && !this.#hasTailCall(node)) {
      this.#finish(this.#expression(node).text, to);
      return;
    }
    const test = this.#test(node.test).text;
    const yes = this.#block(() => this.#emit(node.then, to));
    const no = this.#block(() => this.#emit(node.else, to));
    // A branch that returns or leaves the loop needs no else.
    const leaves = to.kind === "return" || to.exit !== undefined;
    if (leaves) {
      this.#lines.push(`${this.#indent}if (${test}) {`, ...yes, `${this.#indent}}`);
      this.#lines.push(...no.map((line) => line.slice(2)));
      return;
    }
    this.#lines.push(`${this.#indent}if (${test}) {`, ...yes);
    this.#lines.push(`${this.#indent}} else {`, ...no, `${this.#indent}}`);
  }

  /** Whether a branch ends in a call that must not be written as an expression. */
  #hasTailCall(node: Core): boolean {
    if (node.kind === "if") return this.#hasTailCall(node.then) || this.#hasTailCall(node.else);
    if (node.kind !== "call" || this.#frame.lambda === undefined) return false;
    if (this.#facts.recurOf(node) !== undefined) return true;
    if (node.operator.kind === "primitive") return node.operator.name === "apply";
    return true;
  }

  #emitLoop(node: Core, { variables, inits, body }: LoopShape, to: Destination): void {
    const label = this.#fresh("loop");
    const states = variables.map((variable) => this.#stateOf(variable));
    for (const [i, init] of inits.entries()) {
      const value = this.#expression(init).text;
      this.#line(`let ${states[i]} = ${value};`);
    }
    this.#loops.set(node, { label, states });
    const exit = to.kind === "return" ? to : { ...to, exit: to.exit ?? label };
    this.#line(`${label}: for (;;) {`);
    const lines = this.#block(() => {
      this.#takeStates(variables, states);
      this.#emit(body, exit);
    });
    this.#lines.push(...lines, `${this.#indent}}`);
  }

  /** A variable that closures keep has a place of its own in every turn. */
  #stateOf(variable: Variable): string {
    if (!this.#facts.isCaptured(variable)) return this.#name(variable);
    return this.#fresh(`${variable.name}Next`);
  }

  #takeStates(variables: readonly Variable[], states: readonly string[]): void {
    for (const [i, variable] of variables.entries()) {
      const name = this.#name(variable);
      if (states[i] !== name) this.#line(`const ${name} = ${states[i]};`);
    }
  }

  #startOver(label: string, states: readonly string[], operands: readonly Core[]): void {
    const values = operands.map((operand) => this.#expression(operand).text);
    const moved = states.flatMap((state, i) => (values[i] === state ? [] : [i]));
    const left = moved.map((i) => states[i]).join(", ");
    const right = moved.map((i) => values[i]).join(", ");
    if (moved.length === 1) this.#line(`${left} = ${right};`);
    else if (moved.length > 1) this.#line(`[${left}] = [${right}];`);
    this.#line(`continue ${label};`);
  }

  #emitCall(node: CallNode, to: Destination): void {
    if (node.operator.kind === "lambda") {
      this.#emitApplied(node.operator, node.operands, to);
      return;
    }
    const { lambda } = this.#frame;
    if (to.kind !== "return" || lambda === undefined) {
      this.#finish(this.#expression(node).text, to);
      return;
    }
    const callee = calleeOf(node, this.#facts.known);
    const own = callee === lambda ? this.#own.get(lambda) : undefined;
    if (own !== undefined) {
      this.#startOver(own.label, own.states, node.operands);
      return;
    }
    if (callee !== undefined) {
      const isCircular = this.#facts.isCircular(lambda, callee);
      const operands = [node.operator, ...node.operands].map((part) => this.#expression(part).text);
      const [f, ...rest] = operands;
      const text = isCircular
        ? `${this.use("bounce")}(${operands.join(", ")})`
        : `${f}(${rest.join(", ")})`;
      this.#line(`return ${text};`);
      return;
    }
    this.#line(`return ${this.#openCall(node, "bounce").text};`);
  }

  /** ((lambda (x) body) value) binds as let does. */
  #emitApplied(lambda: LambdaNode, operands: readonly Core[], to: Destination): void {
    if (!takes(lambda, operands.length)) {
      this.#finish(this.#arityFailure(operands.length), to);
      return;
    }
    for (const [i, param] of lambda.params.entries()) this.#bind(param, operands[i] as Core);
    if (lambda.rest !== undefined) {
      const rest = operands.slice(lambda.params.length).map((one) => this.#expression(one).text);
      this.#line(`const ${this.#name(lambda.rest)} = ${this.use("listOf")}([${rest.join(", ")}]);`);
    }
    this.#emit(lambda.body, to);
  }

  #arityFailure(count: number): string {
    const message = `a procedure was called with ${count} operands`;
    return `${this.use("fail")}(${JSON.stringify(message)})`;
  }

  /** A call of something that is no known lambda. */
  #openCall({ operator, operands }: CallNode, how: "call" | "bounce"): Piece {
    if (operator.kind === "primitive" && operator.name !== "apply")
      return this.#primitiveCall(operator.name, operands);
    const texts = operands.map((operand) => this.#expression(operand).text);
    if (operator.kind === "primitive") {
      const list = texts.pop() ?? "null";
      const all = [...texts, `...${this.use("itemsOf")}(${list})`];
      return tight(`${this.use(how)}(${all.join(", ")})`);
    }
    const f = this.#expression(operator).text;
    return tight(`${this.use(how)}(${[f, ...texts].join(", ")})`);
  }

  #primitiveCall(name: string, operands: readonly Core[]): Piece {
    const written = writePrimitive(
      name,
      operands.map((operand) => this.#operand(operand)),
      this,
    );
    return written ?? tight(this.#arityFailure(operands.length));
  }

  #operand(node: Core): Operand {
    return { ...this.#expression(node), kind: this.#facts.kindOf(node) || ANYTHING };
  }

  /** The node as an expression; what cannot be one is computed before. */
  #expression(node: Core): Piece {
    switch (node.kind) {
      case "const":
        return this.#constant(node.value);
      case "unspecified":
        return tight("undefined");
      case "ref":
        return tight(this.#name(node.variable));
      case "input":
        return tight(this.#names.of(node.name, node.name));
      case "primitive":
        return tight(this.#keep(primitiveValue(node.name, this), node.name));
      case "lambda":
        return this.#lambda(node);
      case "if":
        if (this.#facts.isSimple(node)) return this.#choice(node);
        break;
      case "call":
        if (node.operator.kind === "lambda" || this.#facts.recurOf(node) !== undefined) break;
        return this.#call(node);
    }
    const name = this.#fresh("value");
    this.#line(`let ${name};`);
    this.#emit(node, { kind: "assign", name });
    return tight(name);
  }

  #call(node: CallNode): Piece {
    const callee = calleeOf(node, this.#facts.known);
    if (callee === undefined) return this.#openCall(node, "call");
    const [f, ...operands] = [node.operator, ...node.operands].map(
      (part) => this.#expression(part).text,
    );
    const text = `${f}(${operands.join(", ")})`;
    return tight(this.#facts.bounces(callee) ? `${this.use("land")}(${text})` : text);
  }

  #choice(node: IfNode): Piece {
    const isBoolean = this.#facts.kindOf(node.test) === BOOLEAN;
    if (isBoolean && isFalse(node.else) && this.#facts.kindOf(node.then) === BOOLEAN) {
      const [a, b] = [this.#expression(node.test), this.#expression(node.then)];
      return { text: `${inside(a, AND)} && ${inside(b, AND + 1)}`, level: AND };
    }
    const test = inside(this.#test(node.test), OR);
    const yes = inside(this.#expression(node.then), OR);
    const no = this.#expression(node.else);
    return { text: `${test} ? ${yes} : ${no.text}`, level: LOOSE };
  }

  #test(node: Core): Piece {
    const operand = this.#operand(node);
    if (operand.kind === BOOLEAN) return operand;
    if (operand.kind === NUMBER) return { text: `(${operand.text}, true)`, level: UNARY };
    const not = negated(operand);
    return { ...not, text: `${inside(operand, SUM)} !== false` };
  }

  #lambda(node: LambdaNode): Piece {
    const frame = this.#frame;
    const label = this.#facts.callsItself(node) ? this.#fresh("again") : undefined;
    this.#frame = { lambda: node, label };
    const params = node.params.map((param) => this.#name(param));
    const states = node.params.map((param) =>
      label === undefined ? this.#name(param) : this.#stateOf(param),
    );
    const rest = node.rest === undefined ? [] : [`...${this.#fresh("more")}`];
    const lines = this.#block(() => {
      if (node.rest !== undefined)
        this.#line(`const ${this.#name(node.rest)} = ${this.use("listOf")}(${rest[0]?.slice(3)});`);
      if (label === undefined) this.#emit(node.body, { kind: "return" });
      else {
        this.#own.set(node, { label, states });
        this.#line(`${label}: for (;;) {`);
        const turn = this.#block(() => {
          this.#takeStates(node.params, states);
          this.#emit(node.body, { kind: "return" });
        });
        this.#lines.push(...turn, `${this.#indent}}`);
      }
    });
    this.#frame = frame;
    const head = [...(label === undefined ? params : states), ...rest].join(", ");
    const text = `(${head}) => ${functionBody(lines, this.#indent)}`;
    if (node.rest === undefined) return { text, level: LOOSE };
    return tight(`${this.use("procedure")}(${params.length}, Infinity, ${text})`);
  }

  #constant(datum: Datum): Piece {
    if (datum.kind === "number") return numberText(datum.value);
    if (datum.kind === "boolean") return tight(String(datum.value));
    if (datum.kind === "symbol") return tight(JSON.stringify(datum.name));
    if (datum.kind === "list" && datum.items.length === 0) return tight("null");
    return tight(this.#keep(this.#quoted(datum), "quoted"));
  }

  #quoted(datum: Datum): string {
    if (datum.kind !== "list" || datum.items.length === 0) return this.#constant(datum).text;
    const items = datum.items.map((item) => this.#quoted(item));
    const tail = datum.tail === undefined ? "" : `, ${this.#quoted(datum.tail)}`;
    return `${this.use("listOf")}([${items.join(", ")}]${tail})`;
  }

  /** A constant value of the text, made once. */
  #keep(text: string, name: string): string {
    const known = this.#constants.get(text);
    if (known !== undefined) return known;
    const own = this.#fresh(`${name}Value`);
    this.#constants.set(text, own);
    return own;
  }
}

const isFalse = (node: Core): boolean =>
  node.kind === "const" && node.value.kind === "boolean" && !node.value.value;

/** A statement must not begin like a block or function. */
const guarded = (text: string): string => (/^[{(]/.test(text) ? `void (${text})` : text);

/** A body that only returns is written without braces. */
function functionBody(lines: readonly string[], indent: string): string {
  const [only] = lines;
  const value = lines.length === 1 ? /^\s*return (.*);$/.exec(only as string)?.[1] : undefined;
  if (value !== undefined && !value.includes("\n"))
    return value.startsWith("{") ? `(${value})` : value;
  return `{\n${lines.join("\n")}\n${indent}}`;
}

export function numberText(value: number): Piece {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.startsWith("-") ? { text, level: UNARY } : tight(text);
}
