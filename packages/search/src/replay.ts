/**
 * The `replay` proposer: programs from a list, in order, cycle after cycle.
 *
 * The list is JSONL, a program a line: {"source": "(* a x)"} or {"src": …}, with "params" an array
 * of names or an object of starts. A text that comes again, in a later cycle or in the list itself,
 * is a new visit to the same candidate.
 */

import { checkNames, NdvmError, namesOf, type ParameterSpec } from "@ndvm/core";
import { isCount, objectOf } from "./shapes.js";
import type { Json, Outcome, Proposal, Proposals, Proposer, StudyBrief } from "./types.js";

export interface ReplayOptions {
  /** How often the list is gone through. Default 1; Infinity for ever. */
  readonly cycles?: number;
}

const NAMES = namesOf<ReplayOptions>({ cycles: 1 });

/** A program of a list. */
export interface ReplayProgram {
  readonly source: string;
  readonly params?: Readonly<Record<string, ParameterSpec>>;
}

export function replay(programs: readonly ReplayProgram[], options: ReplayOptions = {}): Proposer {
  return new ReplayProposer(programs, options);
}

/** Reads JSONL. `file` is named in errors. */
export function readPrograms(text: string, file = "the list of programs"): ReplayProgram[] {
  const programs: ReplayProgram[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    programs.push(programOf(line, `${file}, line ${index + 1}`));
  }
  if (programs.length === 0)
    throw new NdvmError("E-FILE", `${file} holds no programs`, { help: FORM });
  return programs;
}

const FORM = 'a line is {"source": "(* a x)"}, with "params": {"a": 1} if starts are known';

function programOf(line: string, where: string): ReplayProgram {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new NdvmError("E-FILE", `${where}: ${(error as Error).message}`, { help: FORM });
  }
  const { source, src, params } = (value ?? {}) as Record<string, unknown>;
  const text = source ?? src;
  if (typeof text !== "string")
    throw new NdvmError("E-FILE", `${where} has no source`, { help: FORM });
  if (params === undefined || Array.isArray(params)) return { source: text };
  if (typeof params !== "object" || params === null)
    throw new NdvmError("E-FILE", `${where}: params is ${JSON.stringify(params)}`, { help: FORM });
  return { source: text, params: params as Readonly<Record<string, ParameterSpec>> };
}

const isPlace = objectOf<{ at: number }>({ at: isCount });

class ReplayProposer implements Proposer {
  readonly name = "replay";
  readonly #programs: readonly Proposal[];
  readonly #total: number;
  #at = 0;

  constructor(programs: readonly ReplayProgram[], options: ReplayOptions) {
    checkNames("replay", options, NAMES);
    const cycles = options.cycles ?? 1;
    if (!(cycles >= 1))
      throw new NdvmError("E-OPTION", `the option cycles is ${String(cycles)}`, {
        help: "it must be a number from 1; Infinity for ever",
      });
    if (!Array.isArray(programs))
      throw new NdvmError("E-OPTION", "the programs to replay are not a list", {
        help: 'give a list: [{ source: "(* a x)" }]',
      });
    if (programs.length === 0)
      throw new NdvmError("E-OPTION", "there are no programs to replay", {
        help: "give one program at least",
      });
    this.#total = programs.length * Math.floor(cycles);
    this.#programs = programs.map(({ source, params }) => ({
      source,
      parents: [],
      origin: "read",
      isRevisit: true,
      ...(params === undefined ? {} : { params }),
    }));
  }

  begin(_brief: StudyBrief): void {}

  async propose(count: number): Promise<Proposals> {
    const proposals: Proposal[] = [];
    while (proposals.length < count && this.#at < this.#total) {
      proposals.push(this.#programs[this.#at % this.#programs.length] as Proposal);
      this.#at += 1;
    }
    return { proposals, isExhausted: this.#at >= this.#total };
  }

  observe(_outcomes: readonly Outcome[]): void {}

  save(): Json {
    return { at: this.#at };
  }

  restore(state: Json): void {
    if (!isPlace(state)) throw new TypeError("this is not what replay has saved");
    this.#at = state.at;
  }
}
