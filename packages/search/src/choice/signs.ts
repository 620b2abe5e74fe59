/**
 * Signs that make no difference: tanh(−2·x)² is tanh(2·x)², and −3·sin(−2·x) is 3·sin(2·x). People
 * write the positive numbers.
 */

import { own, recordOf } from "@ndvm/core";

type Params = Readonly<Record<string, number>>;

/**
 * The parameters with negative constants turned positive, alone or two together, wherever the model
 * stays the same. The given parameters themselves where there are none.
 */
export function withoutIdleSigns(params: Params, isSame: (turned: Params) => boolean): Params {
  let upright = params;
  for (const name of negativesOf(params)) {
    const left = negativesOf(upright);
    if (!left.includes(name)) continue;
    const others = left.filter((other) => other !== name);
    const found = [[name], ...others.map((other) => [name, other])]
      .map((names) => turned(upright, names))
      .find(isSame);
    upright = found ?? upright;
  }
  return upright;
}

const negativesOf = (params: Params): readonly string[] =>
  Object.keys(params).filter((name) => (own(params, name) as number) < 0);

const turned = (params: Params, names: readonly string[]): Params =>
  recordOf(
    Object.entries(params).map(([name, value]) => [name, names.includes(name) ? -value : value]),
  );
