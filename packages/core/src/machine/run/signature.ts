/**
 * Signatures of scalar inputs: for each, whether all lanes share it and whether gradients are taken by
 * it, as text. Most runs have scalars only, and a text that is made anew must be hashed before it is
 * found anywhere, which costs more than a small program's numbers. So texts are made once and found
 * by walking a tree, one step for each input.
 */

export interface Signature {
  readonly text: string;
  /** How many inputs it is of. */
  readonly count: number;
  /** With one more input, by `step`; made when it is asked for. */
  readonly next: (Signature | undefined)[];
}

/** Signatures of more inputs are made anew each time, so that the tree stays small. */
const COUNT_MAX = 16;
const KEPT_MAX = 4096;
const STEPS: readonly string[] = ["l;", "la;", "s;", "sa;"];
let kept = 0;

export const NO_INPUTS: Signature = makeSignature("", 0);

function makeSignature(text: string, count: number): Signature {
  return { text, count, next: [undefined, undefined, undefined, undefined] };
}

/** The signature with one more input. */
export function extend(from: Signature, isShared: boolean, isWanted: boolean): Signature {
  const step = (isShared ? 2 : 0) + (isWanted ? 1 : 0);
  const known = from.next[step];
  if (known !== undefined) return known;
  const signature = makeSignature(from.text + STEPS[step], from.count + 1);
  if (from.count < COUNT_MAX && kept < KEPT_MAX) {
    kept += 1;
    from.next[step] = signature;
  }
  return signature;
}

/** The signature of so many numbers that all lanes share. */
export function signatureOf(wanted: readonly boolean[], count: number): string {
  let signature = NO_INPUTS;
  for (let k = 0; k < count; k++) signature = extend(signature, true, wanted[k] === true);
  return signature.text;
}

/** How an input is told apart that is not a scalar: as the end of its part of the text. */
export const mark = (isShared: boolean, isWanted: boolean): string =>
  STEPS[(isShared ? 2 : 0) + (isWanted ? 1 : 0)] as string;
