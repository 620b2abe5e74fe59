/**
 * Generated control that lanes take different ways through: branches, loops whose exits and trip
 * counts depend on a lane's numbers, recursion, structure, indices and errors that differ. The
 * results are numbers; their parts are made by the generator, or are such control again.
 */

import type { Maker, Way } from "./maker.js";
import { share, times } from "./maker.js";
import type { Tree } from "./program.js";
import { makeSameness } from "./sameness.js";
import { real, type Scope } from "./scope.js";

/** What the ways of one expression share. */
class Diverging {
  readonly maker: Maker;
  readonly scope: Scope;
  readonly fuel: number;

  constructor(maker: Maker, scope: Scope, fuel: number) {
    this.maker = maker;
    this.scope = scope;
    this.fuel = fuel;
  }

  /** A number, with more names in scope. */
  number(parts: number, ...names: readonly string[]): Tree {
    const inner = this.scope.with(...names.map((name) => ({ name, type: real })));
    return this.maker.make(real, inner, share(this.fuel, parts));
  }

  /** A number of a lane's own. */
  own(...names: readonly string[]): Tree {
    const { random } = this.maker;
    const known = this.scope.of(real).filter(({ shared }) => !shared);
    const all = [...known.map(({ name }) => name), ...names];
    return all.length === 0 ? this.number(2) : random.recent(all);
  }

  literal(least: number, most: number): string {
    return String(this.maker.random.decimal(least, most));
  }

  /** A test that lanes are likely to disagree about. */
  test(...names: readonly string[]): Tree {
    const { random } = this.maker;
    const relation = random.pick(["<", ">", "<=", ">="]);
    const x = this.own(...names);
    return random.weighted<() => Tree>([
      [5, () => [relation, x, this.literal(-1, 1)]],
      [2, () => [relation, x, this.own(...names)]],
      [1, () => [relation, this.number(4, ...names), this.literal(-0.5, 0.5)]],
      [1, () => [random.pick(["and", "or"]), [relation, x, "0"], ["<", this.own(), "0.5"]]],
      [1, () => ["not", [relation, x, "0.25"]]],
      [1, () => ["even?", ["floor", ["*", "3", ["tanh", x]]]]],
      [this.maker.asking > 0 ? 1.5 : 0, () => makeSameness(this.maker, this.scope, 8)],
      [0.5, () => ["memv", ["round", ["tanh", x]], ["quote", ["0", "-1"]]]],
    ])();
  }

  fresh(count: number): string[] {
    // With a prefix, so that they hide nothing the generated parts see.
    return this.scope.freshNames(this.maker.random, count).map((name) => `y${name}`);
  }
}

/** A number by a way that lanes part on. */
export function makeDiverging(maker: Maker, scope: Scope, fuel: number): Tree {
  const d = new Diverging(maker, scope, fuel);
  const ways = [...branches(d), ...loops(d), ...procedures(d), ...structures(d), ...errors(d)];
  return maker.random.weighted(ways)();
}

function branches(d: Diverging): Way<Tree>[] {
  const { random } = d.maker;
  const [t] = d.fresh(1) as [string];
  const n = (): Tree => d.number(3);
  const whole = (): Tree => random.pick(["0", "1", "2", "-3"]);
  return [
    [5, () => ["if", d.test(), n(), n()]],
    [2, () => ["if", d.test(), ["if", d.test(), n(), n()], n()]],
    [2, () => ["or", ["and", d.test(), n()], n()]],
    [2, () => ["let", [[t, d.test()]], ["+", ["if", t, n(), "1"], ["if", ["not", t], n(), "0"]]]],
    [2, () => ["let", [[t, ["sqrt", d.own()]]], ["if", [">", d.own(), "0"], t, n()]]],
    [1, () => ["let", [[t, ["/", "1", ["round", d.own()]]]], ["if", d.test(), t, n()]]],
    [2, () => ["cond", [d.test(), n()], [d.test(), n()], ["else", n()]]],
    [2, () => ["case", ["round", d.own()], [["0", "1"], n()], [["-1"], n()], ["else", n()]]],
    [1, () => ["begin", ["when", d.test(), n()], n()]],
    [2, () => ["+", n(), ["if", d.test(), whole(), whole()]]],
    [2, () => ["*", d.own(), ["if", d.test(), whole(), d.own()]]],
    [1, () => ["vsum", ["if", d.test(), ["[]", n(), d.own()], ["[]", d.own(), "2"]]]],
    [
      1,
      () => {
        const left: Tree = ["mat", ["[]", d.own(), "1"], ["[]", "0.5", n()]];
        return [
          "det",
          [
            "if",
            d.test(),
            left,
            random.pick<Tree>([
              ["eye", "2"],
              ["inv", left],
            ]),
          ],
        ];
      },
    ],
  ];
}

function loops(d: Diverging): Way<Tree>[] {
  const [z, k, s] = d.fresh(3) as [string, string, string];
  const { random } = d.maker;
  const most = String(random.between(1, 7));
  const next: Tree = ["+", k, "1"];
  const step = (): Tree =>
    random.pick<() => Tree>([
      () => ["*", d.literal(0.4, 1.9), z],
      () => ["-", "1", ["*", d.literal(0.5, 1.9), z]],
      () => ["tanh", ["+", z, d.number(4, z)]],
    ])();
  const start = d.number(3);
  const done: Tree = ["or", ["=", k, most], d.test(z)];
  const end = random.pick<Tree>([z, ["*", z, k], ["+", k, d.own(z)]]);
  const recur = (): Tree => ["recur", step(), next];
  const bindings: Tree = [
    [z, start],
    [k, "0"],
  ];
  return [
    [3, () => ["loop", bindings, ["if", done, end, recur()]]],
    [3, () => ["loop", bindings, ["if", ["=", k, most], end, ["if", d.test(z), recur(), recur()]]]],
    [2, () => ["loop", bindings, ["cond", [done, end], [d.test(z), recur()], ["else", recur()]]]],
    [
      2,
      () => [
        "do",
        [
          [z, start, step()],
          [k, "0", next],
        ],
        [done, end],
      ],
    ],
    [
      2,
      () => {
        const trips: Tree = ["floor", ["*", "5", ["abs", ["tanh", d.own()]]]];
        const body: Tree = ["if", ["<=", k, "0"], z, ["recur", ["-", k, "1"], step()]];
        return [
          "loop",
          [
            [k, trips],
            [z, start],
          ],
          body,
        ];
      },
    ],
    [
      3,
      () => {
        const out: Tree = [`o${k}`, next, ["+", ["*", "0.5", z], s]];
        const inner: Tree = ["if", [">", s, ["abs", d.own(z)]], out, [`i${k}`, ["+", s, "0.5"]]];
        const whole: Tree = ["if", ["=", k, "3"], z, ["let", `i${k}`, [[s, "0"]], inner]];
        return [
          "let",
          `o${k}`,
          [
            [k, "0"],
            [z, start],
          ],
          whole,
        ];
      },
    ],
    [
      2,
      () => {
        const early: Tree = [
          "if",
          d.test(z),
          recur(),
          ["loop", [[s, z]], ["if", ["<", ["abs", s], "0.4"], s, ["recur", ["*", "0.5", s]]]],
        ];
        return ["loop", bindings, ["if", ["=", k, most], end, early]];
      },
    ],
  ];
}

function procedures(d: Diverging): Way<Tree>[] {
  const [x, n] = d.fresh(2) as [string, string];
  const { random } = d.maker;
  const [f, g] = [`f${n}`, `g${n}`];
  const depth = String(random.between(1, 6));
  const less: Tree = ["-", n, "1"];
  const lambda = (body: Tree): Tree => ["lambda", [x, n], body];
  const next = (name: string): Tree => [name, d.number(4, x), less];
  const stop: Tree = random.pick<Tree>([
    ["=", n, "0"],
    ["or", ["=", n, "0"], d.test(x)],
  ]);
  const start: Tree = [f, d.number(3), depth];
  return [
    [
      2,
      () => [
        "letrec",
        [
          [f, lambda(["if", stop, x, ["if", d.test(x), next(f), next(g)]])],
          [g, lambda(["if", stop, ["*", x, n], ["if", d.test(x), next(g), next(f)]])],
        ],
        start,
      ],
    ],
    [
      2,
      () => [
        "letrec",
        [[f, lambda(["if", stop, x, ["+", d.number(4, x), ["*", "0.5", next(f)]]])]],
        start,
      ],
    ],
    [
      1,
      () => [
        "letrec",
        [[f, lambda(["if", stop, x, ["+", next(f), ["if", d.test(x), next(f), x]]])]],
        [f, d.own(), "3"],
      ],
    ],
    [
      2,
      () => [
        ["if", d.test(), ["lambda", [x], d.number(3, x)], ["lambda", [x], d.number(3, x)]],
        d.number(3),
      ],
    ],
    [
      1,
      () => [
        ["if", d.test(), random.pick(["sin", "exp", "abs"]), random.pick(["cos", "-", "square"])],
        d.number(2),
      ],
    ],
    [
      1,
      () => [
        "apply",
        ["lambda", [x, ".", n], ["if", ["null?", n], x, ["+", x, ["car", n]]]],
        ["if", d.test(), ["list", d.number(4)], ["list", d.number(4), d.own()]],
      ],
    ],
  ];
}

function structures(d: Diverging): Way<Tree>[] {
  const [l, e] = d.fresh(2) as [string, string];
  const { random } = d.maker;
  const n = (): Tree => d.number(4);
  const items = (most: number): Tree => ["list", ...times(random.between(1, most), n)];
  const index: Tree = random.pick<Tree>([
    ["if", d.test(), "0", "2"],
    ["min", "2", ["floor", ["abs", d.own()]]],
  ]);
  return [
    [2, () => ["apply", "+", ["if", d.test(), items(3), items(3)]]],
    [1, () => ["car", ["if", d.test(), items(2), ["cons", n(), n()]]]],
    [
      2,
      () => [
        "let",
        [[l, ["if", d.test(), items(2), ["quote", []]]]],
        ["if", ["null?", l], n(), ["car", l]],
      ],
    ],
    [1, () => ["length", ["if", d.test(), items(3), items(3)]]],
    [2, () => ["apply", "+", ["filter", ["lambda", [e], [">", e, d.own()]], items(4)]]],
    [1, () => ["fold-left", ["lambda", [l, e], ["if", [">", e, l], e, l]], n(), items(3)]],
    [1, () => ["apply", "max", ["map", ["lambda", [e], ["if", d.test(e), e, n()]], items(3)]]],
    [2, () => ["ref", ["[]", n(), d.own(), n()], index]],
    [
      1,
      () => [
        "vsum",
        ["ref", ["mat", ["[]", n(), "1"], ["[]", d.own(), n()], ["[]", "0", "3"]], index],
      ],
    ],
    [1, () => ["list-ref", ["list", n(), n(), n()], index]],
    [
      1,
      () => [
        "if",
        ["eq?", ["if", d.test(), ["quote", "a"], ["quote", "b"]], ["quote", "a"]],
        n(),
        n(),
      ],
    ],
  ];
}

/** Errors in the lanes that come to them. */
function errors(d: Diverging): Way<Tree>[] {
  const n = (): Tree => d.number(3);
  return [
    [0.4, () => ["if", d.test(), ["car", "5"], n()]],
    [0.3, () => ["ref", ["[]", n(), d.own()], ["floor", ["*", "2", ["abs", d.own()]]]]],
    [0.2, () => ["ref", ["[]", n(), d.own()], ["abs", ["tanh", d.own()]]]],
    [0.2, () => ["if", d.test(), ["vsum", ["+", ["[]", "1", "2"], ["[]", "1", "2", "3"]]], n()]],
    [0.2, () => [["if", d.test(), "sin", "3"], n()]],
    [0.2, () => ["if", d.test(), ["vec", n()], n()]],
  ];
}
