/** `ndvm explain`: core forms, tape, active inputs, branches and their flips, what to be wary of. */

import type { Diagnostics, Explanation, Program } from "@ndvm/core";
import { inOneLine, shellWord } from "@ndvm/core/machine";
import { diagnosticsText } from "../diagnostics.js";
import type { SetInputs } from "../inputs.js";
import { withinTime } from "../limits.js";
import { budgetsOf, openProgram } from "../loaded.js";
import type { ExplainOptions } from "../options.js";
import { inPieces, statsText } from "../results.js";
import { inputsText, section, tapeText } from "../tape-listing.js";
import { note, print, printPieces } from "../terminal.js";
import { type BranchesAlong, branchesAlong, branchesText } from "./explain-branches.js";

export async function explain(file: string | undefined, options: ExplainOptions): Promise<number> {
  const { machine, program, inputs } = await openProgram(file, options);
  const missing = program.inputs.filter((name) => !Object.hasOwn(inputs, name));
  if (missing.length > 0 && Object.keys(inputs).length === 0) {
    describeUnbound(program, missing, options);
    machine.dispose();
    return 0;
  }
  const { explanation, diagnostics, along } = withinTime(options, (timeLeft) =>
    explained(program, inputs, options, timeLeft),
  );
  if (options.format === "json") {
    const { branches, predicateOnly, clamped, nonFinite } = diagnostics;
    const report = { branches, predicateOnly, clamped, nonFinite, along };
    await printPieces(inPieces(jsonPieces({ ...explanation, diagnostics: report })));
    print("");
  } else print(explanationText(explanation, diagnostics, along));
  machine.dispose();
  return 0;
}

/** One JSON object in pieces: of lists, such as the tape, one entry after the other. */
function* jsonPieces(record: object): Generator<string> {
  let separator = "{";
  for (const [key, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    if (Array.isArray(value)) yield* listPieces(value);
    else if (typeof value === "object" && value !== null) yield* jsonPieces(value);
    else yield JSON.stringify(value);
  }
  yield separator === "{" ? "{}" : "}";
}

/** Entries of a list that are written at once, unless one of them holds a longer list itself. */
const ENTRIES = 1000;

function* listPieces(list: readonly unknown[]): Generator<string> {
  for (let at = 0; at < list.length; at += ENTRIES) {
    const entries = list.slice(at, at + ENTRIES);
    yield at === 0 ? "[" : ",";
    if (entries.some(hasLongList)) {
      for (const [index, entry] of entries.entries()) {
        if (index > 0) yield ",";
        yield* jsonPieces(entry as object);
      }
    } else yield JSON.stringify(entries).slice(1, -1);
  }
  yield list.length === 0 ? "[]" : "]";
}

const hasLongList = (entry: unknown): boolean =>
  typeof entry === "object" &&
  entry !== null &&
  Object.values(entry).some((part) => Array.isArray(part) && part.length > ENTRIES);

interface Explained {
  readonly explanation: Explanation;
  readonly diagnostics: Diagnostics;
  readonly along: BranchesAlong | undefined;
}

function explained(
  program: Program,
  inputs: SetInputs,
  options: ExplainOptions,
  timeLeft: () => number,
): Explained {
  const wrt = options.wrt === undefined ? {} : { wrt: options.wrt };
  const report = program.reportBudget();
  const budgets = () => ({ ...budgetsOf(options), timeMax: timeLeft(), report });
  const explanation = program.explain(inputs, { ...budgets(), ...wrt });
  const diagnostics = program.diagnose(inputs, { ...budgets(), ...wrt });
  const along = branchesAlong(program, inputs, diagnostics, options, budgets);
  return { explanation, diagnostics, along };
}

function explanationText(
  explanation: Explanation,
  diagnostics: Diagnostics,
  along: BranchesAlong | undefined,
): string {
  return [
    section("core forms", explanation.core.trimEnd()),
    section("inputs", inputsText(explanation)),
    section("tape", tapeText(explanation, true)),
    section("result", explanation.result),
    section("diagnostics", diagnosticsText(diagnostics)),
    ...(along === undefined ? [] : [section("branch flips", branchesText(along))]),
    section("counters", statsText(explanation.stats)),
  ].join("\n\n");
}

/** Without values there is no run to show: only what loading knows. */
function describeUnbound(
  program: Program,
  missing: readonly string[],
  options: ExplainOptions,
): void {
  const core = program.printCore();
  if (options.format === "json") print(JSON.stringify({ core, inputs: program.inputs }));
  else
    print(
      [
        section("core forms", core.trimEnd()),
        section("inputs", missing.map(inOneLine).join("\n")),
      ].join("\n\n"),
    );
  note(`for the tape, set ${missing.map((name) => `--set ${shellWord(name)}=…`).join(" ")}`);
}
