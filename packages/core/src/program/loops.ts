/**
 * Recognises procedures that are only ever looped: (let f (…) …), or a letrec of one lambda whose
 * body calls it, where every other use of the name is a tail call of the lambda itself. Such a
 * procedure needs no closure and no call; it is encoded as a loop, its calls as recurs.
 */

import type { LetrecNode, Variable } from "../syntax/core.js";
import { Kind, type Tree } from "./tree.js";

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

/** Gives the nodes of looped procedures their roles. */
export function findLoops(tree: Tree): void {
  if (!tree.hasLetrec) return;
  let uses: Map<Variable, number[]> | undefined;
  // Inner loops come first in post-order, so an outer loop can be recurred to through them.
  for (let i = 0; i < tree.nodes.length; i++) {
    if (tree.kind[i] !== Kind.Letrec) continue;
    const variable = candidate(tree.node(i) as LetrecNode);
    if (variable === undefined) continue;
    if (uses === undefined) {
      uses = collectUses(tree);
      tree.linkParents();
    }
    const lambda = tree.child(i, 0);
    const entry = tree.child(i, 1);
    const recurs: number[] = [];
    const params = tree.count[entry] as number;
    const isLoop = (uses.get(variable) ?? []).every((use) => {
      const call = tree.parent[use] as number;
      if (call === entry) return tree.position[use] === 0;
      recurs.push(call);
      return isTailCall(tree, use, call, lambda, params);
    });
    if (isLoop) assign(tree, i, recurs);
  }
}

/** The variable of (letrec ((f (lambda (…) …))) (f …)), or undefined. */
function candidate(node: LetrecNode): Variable | undefined {
  if (node.variables.length !== 1) return undefined;
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
  use: number,
  call: number,
  lambda: number,
  children: number,
): boolean {
  if (tree.kind[call] !== Kind.Call || tree.position[use] !== 0) return false;
  if (tree.count[call] !== children) return false;
  let at = call;
  for (let climbed = 0; climbed < CLIMB_MAX; climbed++) {
    const parent = tree.parent[at] as number;
    if (parent < 0) return false;
    if (parent === lambda) return true;
    const position = tree.position[at] as number;
    const last = (tree.count[parent] as number) - 1;
    switch (tree.kind[parent]) {
      case Kind.If:
        if (position === 0) return false;
        break;
      case Kind.Let:
      case Kind.Letrec:
      case Kind.Seq:
      case Kind.Loop:
        if (position !== last) return false;
        break;
      case Kind.Lambda:
        if (tree.role[parent] !== ROLE_LOOP_LAMBDA) return false;
        at = tree.parent[parent] as number;
        continue;
      default:
        return false;
    }
    at = parent;
  }
  return false;
}

function assign(tree: Tree, letrec: number, recurs: readonly number[]): void {
  const entry = tree.child(letrec, 1);
  tree.role[letrec] = ROLE_LOOP;
  tree.role[tree.child(letrec, 0)] = ROLE_LOOP_LAMBDA;
  tree.role[entry] = ROLE_LOOP_ENTRY;
  tree.role[tree.child(entry, 0)] = ROLE_SKIPPED;
  for (const call of recurs) {
    tree.role[call] = ROLE_RECUR;
    tree.target[call] = letrec;
    tree.role[tree.child(call, 0)] = ROLE_SKIPPED;
  }
}
