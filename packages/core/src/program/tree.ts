/**
 * The tree of core nodes as arrays, so that every pass over a program is a plain loop.
 *
 * Post-order makes a node's subtree the contiguous range [start, node], its last child the node
 * before it, and the child before that the node before the last child's subtree.
 */

import type { Core } from "../syntax/core.js";

export class Tree {
  readonly nodes: readonly Core[];
  /** First node of the subtree. */
  readonly start: Int32Array;
  /** Parent node, -1 for the program. */
  readonly parent: Int32Array;
  /** Position among the parent's children. */
  readonly position: Int32Array;
  /** How many children. */
  readonly count: Int32Array;
  /** Where the node's children begin in `children`. */
  readonly #firstChild: Int32Array;
  readonly #children: Int32Array;

  constructor(nodes: readonly Core[]) {
    const size = nodes.length;
    this.nodes = nodes;
    this.start = new Int32Array(size);
    this.parent = new Int32Array(size).fill(-1);
    this.position = new Int32Array(size);
    this.count = new Int32Array(size);
    this.#firstChild = new Int32Array(size);
    this.#children = new Int32Array(size);
    let used = 0;
    for (let i = 0; i < size; i++) {
      const count = childCount(nodes[i] as Core);
      this.count[i] = count;
      this.#firstChild[i] = used;
      let child = i - 1;
      let start = i;
      for (let k = count - 1; k >= 0; k--) {
        this.#children[used + k] = child;
        this.parent[child] = i;
        this.position[child] = k;
        start = this.start[child] as number;
        child = start - 1;
      }
      this.start[i] = start;
      used += count;
    }
  }

  child(node: number, position: number): number {
    return this.#children[(this.#firstChild[node] as number) + position] as number;
  }

  node(index: number): Core {
    return this.nodes[index] as Core;
  }
}

function childCount(node: Core): number {
  switch (node.kind) {
    case "if":
      return 3;
    case "lambda":
    case "define":
      return 1;
    case "call":
      return node.operands.length + 1;
    case "let":
    case "letrec":
    case "loop":
      return node.inits.length + 1;
    case "seq":
      return node.body.length;
    case "recur":
      return node.operands.length;
    default:
      return 0;
  }
}
