/**
 * The tree of core nodes as arrays, so that every pass over a program is a plain loop.
 *
 * Post-order makes a node's subtree the contiguous range [start, node], its last child the node
 * before it, and the child before that the node before the last child's subtree.
 */

import type { Core } from "../syntax/core.js";

/**
 * An array of small integers. Plain arrays: for the few nodes of most programs typed ones take
 * longer to make than to use.
 */
export const filled = (size: number, value: number): number[] => new Array(size).fill(value);

export class Tree {
  readonly nodes: readonly Core[];
  /** First node of the subtree. */
  readonly start: number[];
  /** Parent node, -1 for the program. */
  readonly parent: number[];
  /** Position among the parent's children. */
  readonly position: number[];
  /** How many children. */
  readonly count: number[];
  /** Where the node's children begin in `children`. */
  readonly #firstChild: number[];
  readonly #children: number[];

  constructor(nodes: readonly Core[]) {
    const size = nodes.length;
    this.nodes = nodes;
    this.start = filled(size, 0);
    this.parent = filled(size, -1);
    this.position = filled(size, 0);
    this.count = filled(size, 0);
    this.#firstChild = filled(size, 0);
    this.#children = filled(size, 0);
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
