/**
 * Intake: proposals get their numbers, and what needs no fit is found out.
 *
 * A program fails here that cannot be read, or whose text alone shows that it is none to be fitted.
 * One whose skeleton was seen is a duplicate, or, where the proposer asks for it, another visit to
 * the same candidate.
 */

import { type Expansion, expand, NdvmError, read } from "@ndvm/core";
import { complexityOfCore } from "../complexity.js";
import { endlessnessOf } from "../endless.js";
import { hashText } from "../seeds.js";
import { skeletonOfCore } from "../skeleton.js";
import { isStraight } from "../straight.js";
import type { Study } from "../study.js";
import type { Failure, Proposal } from "../types.js";
import { NO_RESULTS, type Slot } from "./batch.js";
import { Recent } from "./recent.js";

/** The origin of programs that were read from a list. */
export const PLAIN_ORIGIN = "read";

/** Skeletons that are remembered, the latest. An older one that comes again is fitted again. */
const SEEN_MAX = 2 ** 20;

/** Texts of revisits whose reading is remembered. */
const REVISITED_MAX = 10_000;

/** Letters that are kept of a program that is too long to be read. */
const SHOWN_MAX = 200;

interface Reading {
  /** Empty: it cannot be read. */
  readonly skeleton: string;
  readonly complexity: number;
  /** It needs no screening: see straight.ts. */
  readonly isStraight: boolean;
  readonly failure?: Failure | undefined;
  /** What stands for a text that is too long. */
  readonly shown?: string | undefined;
}

/** What is known of a text, with the hash of its identity. */
type KnownText = Reading & { readonly hash: number };

/** A candidate of an earlier run. */
export interface SeenCandidate {
  readonly id: number;
  /** Of its identity. */
  readonly hash: number;
  /** Its text, where its first proposal was that and nothing else. */
  readonly plain: string | undefined;
}

/** What makes two programs one: the skeleton, or the text where there is none. */
const identityOf = (skeleton: string, source: string): string =>
  skeleton === "" ? `!${source}` : skeleton;

export const identityHash = (skeleton: string, source: string): number =>
  hashText(identityOf(skeleton, source));

export class Intake {
  readonly #study: Study;
  readonly #seen = new Recent<number, number>(SEEN_MAX);
  /** Texts of revisited candidates, which come again and again. */
  readonly #revisited = new Map<string, KnownText>();
  /** Candidates whose first proposal was plain text, to know a revisit that says nothing new. */
  readonly #plain = new Map<number, string>();

  constructor(study: Study) {
    this.#study = study;
  }

  /** Notes a candidate of an earlier run. They must come in order. */
  remember({ id, hash, plain }: SeenCandidate): void {
    this.#seen.set(hash, id);
    if (plain !== undefined) this.#plain.set(id, plain);
  }

  /** `isScreened` says whether a candidate is known to have passed the screen. */
  take(given: Proposal, visit: number, isScreened: (id: number) => boolean): Slot {
    const { failure, skeleton, complexity, isStraight: isPassed, shown, hash } = this.#read(given);
    const proposal = shown === undefined ? given : { ...given, source: shown };
    const known = this.#seen.get(hash);
    const isRevisit = known !== undefined && proposal.isRevisit === true;
    const isNews = !isRevisit || !isPlain(proposal) || this.#plain.get(known) !== proposal.source;
    if (known === undefined) {
      this.#seen.set(hash, visit);
      if (isPlain(proposal)) this.#plain.set(visit, proposal.source);
    }
    const isDuplicate = known !== undefined && !isRevisit;
    return {
      visit,
      id: isRevisit ? known : visit,
      proposal,
      skeleton,
      complexity,
      failure: isDuplicate ? undefined : failure,
      duplicateOf: isDuplicate ? known : undefined,
      isScreened: isPassed || (!isNews && isScreened(known)),
      isNews,
      results: NO_RESULTS,
    };
  }

  #read({ source, isRevisit }: Proposal): KnownText {
    // Before anything goes through the text, were it only to look it up.
    if (source.length > this.#study.limits.sourceLength)
      return withHash(tooLong(source, this.#study), source);
    const known = isRevisit === true ? this.#revisited.get(source) : undefined;
    if (known !== undefined) return known;
    const text = withHash(readProgram(source, this.#study), source);
    if (isRevisit !== true) return text;
    if (this.#revisited.size >= REVISITED_MAX) this.#revisited.clear();
    this.#revisited.set(source, text);
    return text;
  }
}

/** All fields are there, always in this order: most of the texts of a stream are known. */
function withHash(reading: Reading, source: string): KnownText {
  const { skeleton, complexity, isStraight: isPassed, failure, shown } = reading;
  const hash = identityHash(skeleton, shown ?? source);
  return { skeleton, complexity, isStraight: isPassed, failure, shown, hash };
}

/** A text to be visited again and again, from nowhere in particular. */
const isPlain = ({ isRevisit, origin, parents, params, prompt }: Proposal): boolean =>
  isRevisit === true &&
  origin === PLAIN_ORIGIN &&
  parents.length === 0 &&
  params === undefined &&
  prompt === undefined;

const UNREAD = { skeleton: "", complexity: 0, isStraight: false };

function tooLong(source: string, { limits }: Study): Reading {
  const message = `the program has ${source.length} letters, more than ${limits.sourceLength}`;
  return {
    ...UNREAD,
    failure: { stage: "parse", code: "E-LENGTH", message },
    // Put together letter by letter: a slice would keep the whole text in memory.
    shown: `${[...source.slice(0, SHOWN_MAX)].join("")} … (${source.length} letters)`,
  };
}

function readProgram(source: string, study: Study): Reading {
  const { inputs, limits } = study;
  try {
    const expansion = withoutStacks(() =>
      expand(read(source, undefined, limits.nesting), { inputs }),
    );
    const complexity = complexityOfCore(expansion);
    const reading = {
      skeleton: skeletonOfCore(expansion, inputs),
      complexity,
      isStraight: isStraight(expansion),
    };
    const refusal = refusalOf(expansion, reading, study);
    if (refusal === undefined) return reading;
    const [code, message] = refusal;
    return { ...reading, failure: { stage: "screen", code, message } };
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message } = error;
    return { ...UNREAD, failure: { stage: "parse", code, message } };
  }
}

/** What a program may not be, as code and message; undefined where it is nothing of that. */
function refusalOf(
  expansion: Expansion,
  { complexity, isStraight: canOnlyCalculate }: Reading,
  { target, inputs, limits, complexityMax }: Study,
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
