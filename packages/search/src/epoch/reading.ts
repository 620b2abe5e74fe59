/**
 * Reading: what a program's text alone shows, before anything is run.
 *
 * A program fails here that cannot be read, or whose text alone shows that it is not to be fitted.
 * Two programs are the same candidate if they have the same skeleton, or, where a text cannot be
 * read, the same text.
 */

import { type Expansion, expand, NdvmError, read } from "@ndvm/core";
import { complexityOfCore } from "../complexity.js";
import { type Digest, digestOf } from "../digest.js";
import { endlessnessOf } from "../endless.js";
import { skeletonOfCore } from "../skeleton.js";
import { hasOneWay, isStraight } from "../straight.js";
import type { Study } from "../study.js";
import type { Failure } from "../types.js";

/** Letters that are kept of a program that is too long to be read. */
const SHOWN_MAX = 200;

/** Texts that are visited again and again, whose readings are remembered. */
const REMEMBERED_MAX = 10_000;

/** As much of a study as reading a program needs. */
export type ReadingRules = Pick<Study, "inputs" | "target" | "limits" | "complexityMax">;

export interface Reading {
  /** The text, or what stands for one that is too long. */
  readonly source: string;
  /** Empty: it cannot be read. */
  readonly skeleton: string;
  readonly digest: Digest;
  readonly complexity: number;
  /** It needs no screening: see straight.ts. */
  readonly isStraight: boolean;
  /** It is straight, and every row takes the same way through it. */
  readonly hasOneWay: boolean;
  readonly failure: Failure | undefined;
}

/** What makes two programs one: the skeleton, or the text where there is none. */
export const identityOf = (skeleton: string, source: string): string =>
  skeleton === "" ? `!${source}` : skeleton;

export class Reader {
  readonly #study: ReadingRules;
  readonly #remembered = new Map<string, Reading>();

  constructor(study: ReadingRules) {
    this.#study = study;
  }

  read(source: string): Reading {
    // Before anything goes through the text, were it only to look it up.
    if (source.length > this.#study.limits.sourceLength) return tooLong(source, this.#study);
    return readProgram(source, this.#study);
  }

  /** Reads a text that is likely to come again. */
  readAgain(source: string): Reading {
    if (source.length > this.#study.limits.sourceLength) return tooLong(source, this.#study);
    const known = this.#remembered.get(source);
    if (known !== undefined) return known;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    const reading = readProgram(source, this.#study);
    this.#remembered.set(source, reading);
    return reading;
  }
}

function tooLong(text: string, { limits }: ReadingRules): Reading {
  const message = `the program has ${text.length} letters, more than ${limits.sourceLength}`;
  // Put together letter by letter: a slice would keep the whole text in memory.
  const source = `${[...text.slice(0, SHOWN_MAX)].join("")} … (${text.length} letters)`;
  return unread(source, { stage: "parse", code: "E-LENGTH", message });
}

const unread = (source: string, failure: Failure): Reading => ({
  source,
  skeleton: "",
  digest: digestOf(identityOf("", source)),
  complexity: 0,
  isStraight: false,
  hasOneWay: false,
  failure,
});

function readProgram(source: string, study: ReadingRules): Reading {
  const { inputs, limits } = study;
  try {
    const expansion = withoutStacks(() =>
      expand(read(source, undefined, limits.nesting), { inputs }),
    );
    const complexity = complexityOfCore(expansion);
    const skeleton = skeletonOfCore(expansion, inputs);
    const canOnlyCalculate = isStraight(expansion);
    const refusal = refusalOf(expansion, complexity, canOnlyCalculate, study);
    return {
      source,
      skeleton,
      digest: digestOf(identityOf(skeleton, source)),
      complexity,
      isStraight: canOnlyCalculate,
      hasOneWay: canOnlyCalculate && hasOneWay(expansion),
      failure:
        refusal === undefined
          ? undefined
          : { stage: "screen", code: refusal[0], message: refusal[1] },
    };
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message } = error;
    return unread(source, { stage: "parse", code, message });
  }
}

/** What a program may not be, as code and message; undefined where it is nothing of that. */
function refusalOf(
  expansion: Expansion,
  complexity: number,
  canOnlyCalculate: boolean,
  { target, inputs, limits, complexityMax }: ReadingRules,
): readonly [code: string, message: string] | undefined {
  if (complexityMax !== undefined && complexity > complexityMax)
    return ["E-COMPLEXITY", `its complexity is ${complexity}, more than ${complexityMax}`];
  if (expansion.inputs.includes(target))
    return ["E-TARGET", `the program reads ${target}, which it is to predict`];
  const parameters = expansion.inputs.length - inputs.length;
  if (parameters > limits.parameters)
    return [
      "E-PARAMETERS",
      `the program has ${parameters} parameters, more than ${limits.parameters}`,
    ];
  const why = canOnlyCalculate ? undefined : endlessnessOf(expansion);
  return why === undefined ? undefined : ["E-ENDLESS", why];
}

/** Does something whose errors tell no stack: making one takes longer than reading a program. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
