/**
 * What names mean before the program says otherwise: special forms, primitives, the prelude,
 * constants, and the names that are left out.
 */

import { primitiveByName } from "../primitives/registry.js";
import * as binding from "./binding-forms.js";
import { constants } from "./constants.js";
import * as control from "./control-forms.js";
import { malformed } from "./form-errors.js";
import type { FormName } from "./names.js";
import { preludeMeanings } from "./prelude.js";
import { expandMisplacedUnquote, expandQuasiquote } from "./quasiquote.js";
import { refusedNames } from "./refused.js";
import type { FormExpander, Meaning } from "./scope.js";

const misplacedKeyword: FormExpander = (_x, form) => {
  throw malformed(form, "stands where it means nothing");
};

const forms: Readonly<Record<FormName, FormExpander>> = {
  quote: control.expandQuote,
  quasiquote: expandQuasiquote,
  unquote: expandMisplacedUnquote,
  "unquote-splicing": expandMisplacedUnquote,
  if: control.expandIf,
  cond: control.expandCond,
  case: control.expandCase,
  and: control.expandAnd,
  or: control.expandOr,
  when: control.expandWhen,
  unless: control.expandUnless,
  begin: control.expandBegin,
  else: misplacedKeyword,
  "=>": misplacedKeyword,
  let: binding.expandLet,
  "let*": binding.expandLetStar,
  letrec: binding.expandLetrec,
  "letrec*": binding.expandLetrec,
  do: binding.expandDo,
  loop: binding.expandLoop,
  recur: binding.expandRecur,
  lambda: binding.expandLambda,
  define: binding.expandMisplacedDefine,
};

function collectBuiltins(): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const [name, help] of refusedNames) meanings.set(name, { kind: "refused", help });
  for (const [name, { arity }] of primitiveByName) {
    meanings.set(name, { kind: "primitive", name, arity });
  }
  for (const [name, value] of constants) meanings.set(name, { kind: "constant", value });
  for (const meaning of preludeMeanings) meanings.set(meaning.name, meaning);
  for (const [name, expand] of Object.entries(forms)) {
    meanings.set(name, { kind: "form", name, expand });
  }
  return meanings;
}

export const builtins: ReadonlyMap<string, Meaning> = collectBuiltins();
