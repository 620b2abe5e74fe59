/**
 * Recognises procedures that are only ever looped: (let f (…) …), or a letrec of one lambda whose
 * body calls it, where every other use of the name is a tail call of the lambda itself. Such a
 * procedure needs no closure and no call; it is encoded as a loop, its calls as recurs.
 */

import type { Variable } from "../syntax/core.js";
import { filled, type Tree } from "./tree.js";

/** The letrec of a looped procedure. */
export const ROLE_LOOP = 1;
/** Its lambda: part of the frame around it. */
export const ROLE_LOOP_LAMBDA = 2;
/** The call that enters the loop: its operands are the loop's inits. */
export const ROLE_LOOP_ENTRY = 3;
/** A call that is a recur of the loop in `target`. */
export const ROLE_RECUR = 4;
/** A node that is not encoded. */
export const ROLE_SKIPPED = 5;

/** How far up a recur looks for its loop; beyond it the procedure stays a procedure. */
const CLIMB_MAX = 256;

export interface Roles {
  readonly role: number[];
  /** For a recur the letrec or loop node it belongs to. */
  readonly target: number[];
}

/** Every node plain: nothing is looked for. */
export function noLoops(tree: Tree): Roles {
  const size = tree.nodes.length;
  return { role: filled(size, 0), target: filled(size, -1) };
}

export function findLoops(tree: Tree): Roles {
  const size = tree.nodes.length;
  const roles = noLoops(tree);
  let uses: Map<Variable, number[]> | undefined;
  // Inner loops come first in post-order, so an outer loop can be recurred to through them.
  for (let i = 0; i < size; i++) {
    const variable = candidate(tree, i);
    if (variable === undefined) continue;
    uses ??= collectUses(tree);
    const lambda = tree.child(i, 0);
    const entry = tree.child(i, 1);
    const recurs: number[] = [];
    const params = tree.count[entry] as number;
    const isLoop = (uses.get(variable) ?? []).every((use) => {
      const call = tree.parent[use] as number;
      if (call === entry) return tree.position[use] === 0;
      recurs.push(call);
      return isTailCall(tree, roles, use, call, lambda, params);
    });
    if (isLoop) assign(tree, roles, i, recurs);
  }
  return roles;
}

/** The variable of (letrec ((f (lambda (…) …))) (f …)), or undefined. */
function candidate(tree: Tree, index: number): Variable | undefined {
  const node = tree.node(index);
  if (node.kind !== "letrec" || node.variables.length !== 1) return undefined;
  const [init] = node.inits;
  const { body } = node;
  if (init?.kind !== "lambda" || init.rest !== undefined || body.kind !== "call") return undefined;
  if (body.operator.kind !== "ref" || body.operator.variable !== node.variables[0])
    return undefined;
  return body.operands.length === init.params.length ? node.variables[0] : undefined;
}

function collectUses(tree: Tree): Map<Variable, number[]> {
  const uses = new Map<Variable, number[]>();
  tree.nodes.forEach((node, index) => {
    if (node.kind !== "ref") return;
    const list = uses.get(node.variable);
    if (list === undefined) uses.set(node.variable, [index]);
    else list.push(index);
  });
  return uses;
}

/** Whether `use` is the operator of a call in tail position of `lambda`. */
function isTailCall(
  tree: Tree,
  roles: Roles,
  use: number,
  call: number,
  lambda: number,
  children: number,
): boolean {
  if (tree.node(call).kind !== "call" || tree.position[use] !== 0) return false;
  if (tree.count[call] !== children) return false;
  let at = call;
  for (let climbed = 0; climbed < CLIMB_MAX; climbed++) {
    const parent = tree.parent[at] as number;
    if (parent < 0) return false;
    if (parent === lambda) return true;
    const position = tree.position[at] as number;
    const last = (tree.count[parent] as number) - 1;
    switch (tree.node(parent).kind) {
      case "if":
        if (position === 0) return false;
        break;
      case "let":
      case "letrec":
      case "seq":
      case "loop":
        if (position !== last) return false;
        break;
      case "lambda":
        if (roles.role[parent] !== ROLE_LOOP_LAMBDA) return false;
        at = tree.parent[parent] as number;
        continue;
      default:
        return false;
    }
    at = parent;
  }
  return false;
}

function assign(tree: Tree, roles: Roles, letrec: number, recurs: readonly number[]): void {
  const entry = tree.child(letrec, 1);
  roles.role[letrec] = ROLE_LOOP;
  roles.role[tree.child(letrec, 0)] = ROLE_LOOP_LAMBDA;
  roles.role[entry] = ROLE_LOOP_ENTRY;
  roles.role[tree.child(entry, 0)] = ROLE_SKIPPED;
  for (const call of recurs) {
    roles.role[call] = ROLE_RECUR;
    roles.target[call] = letrec;
    roles.role[tree.child(call, 0)] = ROLE_SKIPPED;
  }
}
