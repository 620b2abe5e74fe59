/**
 * The one error type a user of NDVM meets, and the stable codes it carries.
 *
 * A message names the user's thing, says what was expected and what came; `span` says where in the
 * source, `help` what to do about it. Our own mistakes are failed assertions, never an NdvmError.
 */

/** A half-open range of UTF-16 offsets in a program's source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type ErrorCode =
  | "E-SYNTAX" // the text is not a sequence of datums (unbalanced, bad token, empty, not UTF-8)
  | "E-FORM" // a special form is malformed, or recur is misplaced
  | "E-REFUSED" // a form that this language leaves out on purpose, or that an export cannot say
  | "E-UNBOUND" // a name in operator position, or an input, that nothing defines
  | "E-UNINITIALISED" // a variable is read before its definition has run
  | "E-ARITY" // a procedure called with the wrong number of arguments
  | "E-CALL" // calling something that is not a procedure
  | "E-TYPE" // a primitive got a value of the wrong kind (car of a number)
  | "E-SHAPE" // vectors or matrices whose shapes do not fit
  | "E-STACK" // stack code that takes values which are not there, or leaves some behind
  | "E-RANGE" // an index or a count out of range
  | "E-INPUT" // the caller's inputs: missing, misnamed, of unequal lane counts, not numbers
  | "E-OPTION" // an option of the API or command line that makes no sense
  | "E-RESULT" // the result is not what was asked of it (gradient of a list, values of a symbol)
  | "E-STEPS" // step budget exceeded
  | "E-TIME" // time limit exceeded
  | "E-ABORTED" // the caller's AbortSignal fired
  | "E-RECURSION" // recursion too deep for the memory budget
  | "E-MEMORY" // memory budget exceeded
  | "E-TAPE" // tape budget exceeded
  | "E-DISPOSED" // a machine, program or run used after dispose, or a run after a later one
  | "E-WORKER" // a worker of a pool could not be started, or died twice over the same lanes
  | "E-ARCHIVE" // a study's archive that another process writes, that is none, or of another study
  | "E-FILE"; // a file that cannot be read or is not what it should be

/**
 * What an error is about, as plain JSON data: code decides by `code` and these, and nobody takes a
 * sentence apart. Rows and indices count from 0.
 */
export interface ErrorFacts {
  /** Which of the code's causes it is. */
  readonly reason?: string;
  /** The option as JavaScript spells it: "stepsMax", "params.a.bounds". */
  readonly option?: string;
  /** What was allowed, and what came. */
  readonly limit?: number;
  readonly value?: number;
  /** The user's names that it is about. */
  readonly names?: readonly string[];
  /** The first few rows, as the caller gave them, and how many more there are. */
  readonly rows?: readonly number[];
  readonly rowsMore?: number;
  /** The column of a table, or of an archive. */
  readonly column?: string;
  /** What was expected and what came, where they are not numbers. */
  readonly expected?: string;
  readonly actual?: string;
  /** How often it was tried. */
  readonly attempts?: number;
}

export interface ErrorDetails {
  readonly span?: Span | undefined;
  readonly help?: string | undefined;
  readonly source?: string | undefined;
  readonly file?: string | undefined;
  readonly facts?: ErrorFacts | undefined;
}

export class NdvmError extends Error {
  override readonly name = "NdvmError";
  readonly code: ErrorCode;
  readonly span: Span | undefined;
  readonly help: string | undefined;
  /** The program text that `span` points into. */
  readonly source: string | undefined;
  /** The file it came from, when the caller said so. */
  readonly file: string | undefined;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.span = details.span;
    this.help = details.help;
    this.source = details.source;
    this.file = details.file;
    this.facts = details.facts ?? {};
  }

  /** The same error, told where its text comes from. Details already known are kept. */
  in(source: string, file?: string): NdvmError {
    return new NdvmError(this.code, this.message, {
      span: this.span,
      help: this.help,
      source: this.source ?? source,
      file: this.file ?? file,
      facts: this.facts,
    });
  }
}
