/**
 * Ways out of an error in the words of the command line. The machine gives them in those of
 * JavaScript: names of options, `vec(…)`, `datum(lane)`.
 */

import { NdvmError } from "@ndvm/core";

const PHRASES: readonly (readonly [string, string])[] = [
  [
    "arrays are one value per lane; use vec(…) for a vector that all lanes share",
    "lists, ranges and columns have one value per lane; --set v='[1, 2, 3]' is one vector, shared",
  ],
  ["use datum(lane) to read it; only", "only"],
  ["give a seed (output adjoints), or use program.jacobian", "give one: --seed-adjoint 1,0"],
  ["dispose programs that are no longer needed, or raise memoryMax", "raise --memory"],
  [
    "leave out the row, or correct it",
    "count the cell as missing by --na inf, or leave the row out by --where",
  ],
  [
    "the signal passed to it fired; the machine can be used again",
    "it was Ctrl-C; --timeout 5s and --steps 1e6 end a program by themselves",
  ],
  ["memoryMax", "--memory"],
  ["stepsMax", "--steps"],
  ["timeMax", "--timeout"],
];

const FREE_NAMES = /^the program's inputs are its free names: (.+)$/;

/** The same error with a help that names what can be typed. */
export function withTypedHelp(error: NdvmError): NdvmError {
  if (error.help === undefined) return error;
  let help = error.help.replace(FREE_NAMES, (_, names: string) => valuesFor(error, names));
  for (const [said, typed] of PHRASES) help = help.replace(said, typed);
  if (help === error.help) return error;
  const { span, source, file } = error;
  const message = error.message.replace("was aborted by the caller", "was interrupted");
  return new NdvmError(error.code, message, { span, source, file, help });
}

/** "input r has no value" of a program whose inputs are r and x. */
function valuesFor({ message }: NdvmError, names: string): string {
  const name = /^input (\S+) has no value$/.exec(message)?.[1] ?? "name";
  return `give it one: --set ${name}=1; the program's inputs are ${names}`;
}
