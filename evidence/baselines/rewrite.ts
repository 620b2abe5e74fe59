/**
 * Programs rewritten so that the machine does work which it saves elsewhere, with the same results.
 *
 * `searchNames` undoes lexical addresses: every reference to a variable compares its name's number
 * with the names in scope, innermost first, until it finds its own. `writeOut` undoes loops: each
 * step of a loop is a form of its own, so that a run visits no form twice.
 *
 * For the forms of the five programs: if, let, let*, loop with recur, and calls of primitives.
 * Numbers keep their spelling, because 0.0 and 0 are different numbers to the machine.
 */

type Form = string | readonly Form[];

function readForm(text: string): Form {
  const stack: Form[][] = [[]];
  for (const token of text.match(/[()]|[^\s()]+/g) ?? []) {
    if (token === "(") stack.push([]);
    else if (token === ")") {
      const list = stack.pop() as Form[];
      stack.at(-1)?.push(list);
    } else stack.at(-1)?.push(token);
  }
  return stack[0]?.[0] as Form;
}

const print = (form: Form): string =>
  typeof form === "string" ? form : `(${form.map(print).join(" ")})`;

type Binding = readonly [name: string, value: Form];
const bindingsOf = (form: Form | undefined): readonly Binding[] => form as unknown as Binding[];

/** The innermost name is last. */
type Scope = readonly string[];

/**
 * The search, then the variable. The search's own value, a truth, is dropped: a number that leaves a
 * branch would get a record of its own on the tape, and sums of adjoints another order.
 */
function search(name: string, scope: Scope, numberOf: (name: string) => string): Form {
  let found: Form = "#f";
  for (const other of scope.slice(scope.lastIndexOf(name)))
    found = ["if", ["=", numberOf(other), numberOf(name)], "#t", found];
  return ["begin", found, name];
}

/** The program with a search of names in place of each reference; inputs are the outermost scope. */
export function searchNames(source: string, inputs: readonly string[]): string {
  const numbers = new Map<string, number>();
  const numberOf = (name: string): string => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return String(numbers.get(name));
  };
  const within = (form: Form, scope: Scope): Form => {
    if (typeof form === "string")
      return scope.includes(form) ? search(form, scope, numberOf) : form;
    const [head, ...rest] = form;
    if (head === "let*") {
      let inner = scope;
      const bound = bindingsOf(rest[0]).map(([name, value]): Form => {
        const made = [name, within(value, inner)];
        inner = [...inner, name];
        return made;
      });
      return [head, bound, within(rest[1] as Form, inner)];
    }
    if (head === "let" || head === "loop") {
      const bound = bindingsOf(rest[0]);
      const inner = [...scope, ...bound.map(([name]) => name)];
      return [
        head,
        bound.map(([name, value]): Form => [name, within(value, scope)]),
        within(rest[1] as Form, inner),
      ];
    }
    return [head as Form, ...rest.map((each) => within(each, scope))];
  };
  return print(within(readForm(source), inputs));
}

/** The program with `steps` steps of its loop written out, one inside the other. */
export function writeOut(source: string, steps: number): string {
  const replaceRecur = (form: Form, make: (values: readonly Form[]) => Form): Form => {
    if (typeof form === "string") return form;
    if (form[0] === "recur") return make(form.slice(1));
    return form.map((each) => replaceRecur(each, make));
  };
  const unroll = (form: Form): Form => {
    if (typeof form === "string") return form;
    if (form[0] !== "loop") return form.map(unroll);
    const bound = bindingsOf(form[1]);
    const names = bound.map(([name]) => name);
    const body = form[2] as Form;
    const step = (left: number): Form =>
      replaceRecur(body, (values) =>
        // The last step is the one that ends the loop, so nothing comes after it.
        left === 0
          ? (values[0] as Form)
          : ["let", names.map((name, i): Form => [name, values[i] as Form]), step(left - 1)],
      );
    return ["let", bound as unknown as Form, step(steps)];
  };
  return print(unroll(readForm(source)));
}
