/**
 * Text → tree, for baselines that have a reader of their own: numbers, names and lists.
 */

export type Tree = number | string | readonly Tree[];

export function readTree(text: string): Tree {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  const stack: Tree[][] = [[]];
  for (const token of tokens) {
    if (token === "(") stack.push([]);
    else if (token === ")") {
      const list = stack.pop() as Tree[];
      (stack.at(-1) as Tree[]).push(list);
    } else {
      const number = Number(token);
      (stack.at(-1) as Tree[]).push(Number.isNaN(number) ? token : number);
    }
  }
  return (stack[0] as Tree[])[0] as Tree;
}
