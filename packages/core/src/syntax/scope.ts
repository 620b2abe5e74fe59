/**
 * What names mean while a program is expanded.
 *
 * The expander walks the program depth first, so one table suffices: entering a scope overwrites
 * the meanings of its names and remembers the old ones on a stack, leaving puts them back. A lookup
 * costs the same however deep the scopes nest.
 *
 * Invariant: scopes are left in the reverse order of entering, with the same variables.
 */

import type { Arity } from "../primitives/registry.js";
import type { Variable } from "./core.js";
import type { ListDatum } from "./datum.js";
import type { Expander } from "./expander.js";

/** A variable of the program, or one that the expander made up. */
export class LocalVariable implements Variable {
  readonly kind = "variable";
  mark = 0;
  constructor(readonly name: string) {}
}

/** A name the caller declared as an input. */
export interface InputMeaning {
  readonly kind: "input";
}

/** A special form, or a keyword that only means something inside one (else, =>). */
export interface FormMeaning {
  readonly kind: "form";
  readonly name: string;
  readonly expand: FormExpander;
}

/** Expands `form`. `tail`: its value is the value of the nearest loop's body. */
export type FormExpander = (
  x: Expander,
  form: ListDatum,
  tail: boolean,
  name: string | undefined,
) => void;

export interface PrimitiveMeaning {
  readonly kind: "primitive";
  readonly name: string;
  readonly arity: Arity;
}

/** A procedure written in the language itself; calls of some argument counts have a shorter way. */
export interface PreludeMeaning {
  readonly kind: "prelude";
  readonly name: string;
  readonly arity: Arity;
  /** Which definition of the prelude it is as a value, and in a call without a shortcut. */
  readonly key: string;
  readonly shortcut?: Shortcut;
}

/** How a call with exactly `count` arguments is expanded instead. */
export type Shortcut =
  | { readonly count: number; readonly key: string }
  | { readonly count: number; readonly primitives: readonly string[] };

/** A name that stands for a number, unless the program or the caller gives it another meaning. */
export interface ConstantMeaning {
  readonly kind: "constant";
  readonly value: number;
}

/** A name of Scheme that this language leaves out. */
export interface RefusedMeaning {
  readonly kind: "refused";
  readonly help: string;
}

export type Meaning =
  | LocalVariable
  | InputMeaning
  | FormMeaning
  | PrimitiveMeaning
  | PreludeMeaning
  | ConstantMeaning
  | RefusedMeaning;

const declaredInput: InputMeaning = { kind: "input" };

export class Scope {
  /** Made when there is something to put into it: many programs name nothing. */
  private meanings: Map<string, Meaning | undefined> | undefined;
  private readonly hidden: (Meaning | undefined)[] = [];

  constructor(private readonly builtins: ReadonlyMap<string, Meaning>) {}

  lookup(name: string): Meaning | undefined {
    return this.meanings?.get(name) ?? this.builtins.get(name);
  }

  declareInput(name: string): void {
    this.own().set(name, declaredInput);
  }

  enter(variable: LocalVariable): void {
    const meanings = this.own();
    this.hidden.push(meanings.get(variable.name));
    meanings.set(variable.name, variable);
  }

  private own(): Map<string, Meaning | undefined> {
    this.meanings ??= new Map();
    return this.meanings;
  }

  enterAll(variables: readonly LocalVariable[]): void {
    for (const variable of variables) this.enter(variable);
  }

  leaveAll(variables: readonly LocalVariable[]): void {
    for (let i = variables.length - 1; i >= 0; i--) {
      this.own().set((variables[i] as LocalVariable).name, this.hidden.pop());
    }
  }

  /** Every name that can be used here, for suggestions. */
  names(): string[] {
    const all = [...this.own(), ...this.builtins];
    return all.flatMap(([name, meaning]) =>
      meaning === undefined || meaning.kind === "refused" ? [] : [name],
    );
  }
}
