/**
 * The tree of core nodes as arrays, so that every pass over a program is a plain loop.
 *
 * Post-order makes a node's subtree the contiguous range [start, node], its last child the node
 * before it, and the child before that the node before the last child's subtree.
 *
 * A tree can be read into again and again: the arrays stay, so that loading a small program makes
 * none. Numbers beyond the nodes of the latest program mean nothing.
 */

import type { Core } from "../syntax/core.js";

/** What a node is, as a number: passes that only ask for that need not touch the node itself. */
export enum Kind {
  Const,
  Unspecified,
  Primitive,
  Input,
  Ref,
  If,
  Lambda,
  Call,
  Let,
  Letrec,
  Seq,
  Loop,
  Recur,
  Define,
}

/** Room for the nodes of most programs. */
const ROOM_LEAST = 128;

export class Tree {
  nodes: readonly Core[] = [];
  kind: Uint8Array = new Uint8Array(0);
  /** First node of the subtree. */
  start: Int32Array = new Int32Array(0);
  /** Parent node, -1 for the program; known after `linkParents`, as the position is. */
  parent: Int32Array = new Int32Array(0);
  /** Position among the parent's children. */
  position: Int32Array = new Int32Array(0);
  /** How many children. */
  count: Int32Array = new Int32Array(0);
  /** ROLE_* of loops.ts: what the node is besides its kind. */
  role: Uint8Array = new Uint8Array(0);
  /** For a recur the letrec or loop node it belongs to. */
  target: Int32Array = new Int32Array(0);
  hasLetrec = false;
  /** Where the node's children begin in `children`. */
  #firstChild: Int32Array = new Int32Array(0);
  #children: Int32Array = new Int32Array(0);

  /** How many nodes there is room for. */
  get room(): number {
    return this.kind.length;
  }

  /** Takes in the nodes of a program; what the tree held before is gone. */
  read(nodes: readonly Core[]): this {
    const size = nodes.length;
    if (size > this.room) this.#grow(Math.max(size, ROOM_LEAST));
    this.nodes = nodes;
    this.hasLetrec = false;
    const { start } = this;
    const children = this.#children;
    let used = 0;
    for (let i = 0; i < size; i++) {
      const count = this.#classify(nodes[i] as Core, i);
      this.#firstChild[i] = used;
      let child = i - 1;
      let first = i;
      for (let k = count - 1; k >= 0; k--) {
        children[used + k] = child;
        first = start[child] as number;
        child = first - 1;
      }
      start[i] = first;
      used += count;
    }
    return this;
  }

  /** Finds the parents of all nodes, which few programs need. */
  linkParents(): void {
    const { parent, position, count } = this;
    const size = this.nodes.length;
    for (let i = 0; i < size; i++)
      for (let k = 0; k < (count[i] as number); k++) {
        const child = this.child(i, k);
        parent[child] = i;
        position[child] = k;
      }
    parent[size - 1] = -1;
  }

  child(node: number, position: number): number {
    return this.#children[(this.#firstChild[node] as number) + position] as number;
  }

  node(index: number): Core {
    return this.nodes[index] as Core;
  }

  #grow(room: number): void {
    this.kind = new Uint8Array(room);
    this.start = new Int32Array(room);
    this.parent = new Int32Array(room);
    this.position = new Int32Array(room);
    this.count = new Int32Array(room);
    this.role = new Uint8Array(room);
    this.target = new Int32Array(room);
    this.#firstChild = new Int32Array(room);
    this.#children = new Int32Array(room);
  }

  /** Notes what node i is, and returns how many children it has. The frequent kinds come first. */
  #classify(node: Core, i: number): number {
    this.role[i] = 0;
    switch (node.kind) {
      case "input":
        return this.#note(i, Kind.Input, 0);
      case "primitive":
        return this.#note(i, Kind.Primitive, 0);
      case "call":
        return this.#note(i, Kind.Call, node.operands.length + 1);
      case "ref":
        return this.#note(i, Kind.Ref, 0);
      case "const":
        return this.#note(i, Kind.Const, 0);
      case "if":
        return this.#note(i, Kind.If, 3);
      case "let":
        return this.#note(i, Kind.Let, node.inits.length + 1);
      case "recur":
        return this.#note(i, Kind.Recur, node.operands.length);
      case "loop":
        return this.#note(i, Kind.Loop, node.inits.length + 1);
      case "seq":
        return this.#note(i, Kind.Seq, node.body.length);
      case "lambda":
        return this.#note(i, Kind.Lambda, 1);
      case "letrec":
        this.hasLetrec = true;
        return this.#note(i, Kind.Letrec, node.inits.length + 1);
      case "define":
        return this.#note(i, Kind.Define, 1);
      case "unspecified":
        return this.#note(i, Kind.Unspecified, 0);
    }
  }

  #note(i: number, kind: Kind, count: number): number {
    this.kind[i] = kind;
    this.count[i] = count;
    return count;
  }
}
