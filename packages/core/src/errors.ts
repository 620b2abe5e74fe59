/**
 * The one error type a user of NDVM meets, and the stable codes it carries.
 *
 * A message names the user's thing, says what was expected and what came; `span` says where in the
 * source, `help` what to do about it. `facts` say the same to code, as plain JSON data: nobody takes
 * a sentence apart. Our own mistakes are failed assertions, never an NdvmError.
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
  | "E-PROTOCOL" // bytes or a call that `ndvm serve` does not understand
  | "E-CLUSTER" // a Redis that cannot be used, or a study that somebody else coordinates
  | "E-FILE"; // a file that cannot be read or is not what it should be

/** Which of a code's causes an error has. The list is closed: code can rely on it. */
export type Reason =
  // Budgets and limits.
  | "budget" // a limit (`option`) was reached while a program ran
  | "recursion" // calls went deeper than the memory budget allows
  | "room" // the machine's memory is taken by what it holds already
  | "result" // a result, or what is read of it, is larger than the memory budget
  | "long" // a program's text takes more than the memory budget when it is read
  | "report" // what is told about a run is larger than the memory budget
  | "together" // a fit's restarts, run together, need more memory than there is
  | "first" // a fit's time was over before its first evaluation was
  | "occupied" // another evaluation had the machine until a fit's time was over
  | "aborted" // the caller's signal fired
  | "wasm" // the machine's code cannot be had, or is another one's
  // Workers.
  | "crash" // a worker ended by itself: `value` is the exit code, `actual` the error's code
  | "silent" // a worker was not ready in time
  | "stranger" // a worker's code is not what it should be
  | "stuck" // a worker has work and gives no sign of life
  // Clusters.
  | "address" // the address is not one of a Redis, or there is none
  | "namespace" // a namespace that keys cannot have
  | "unreachable" // nobody answers at the address
  | "password" // Redis does not let us in
  | "old" // Redis is too old
  | "eviction" // Redis throws keys away when it is full
  | "knowledge" // what an epoch has to know is not in Redis any more
  | "coordinator" // another process coordinates the study
  // Options and inputs.
  | "option" // an option's value makes no sense
  | "setting" // an option of a machine or a run has another type than it should
  | "unknown" // there is no such option: `expected` is the one that was meant, if one is near
  | "needs" // an option that makes sense only with another one (`names`)
  | "input" // an input has no value
  | "lanes" // two inputs have different numbers of lanes
  | "structure" // the result is structure, where numbers were asked for
  | "seed" // the gradient of a vector or matrix needs output adjoints
  // The data of a fit or a search.
  | "column" // there is no such column
  | "cell" // a cell that is not a number
  | "missing" // a cell that is NaN
  | "infinite" // a cell that is infinite
  | "count" // a count below 0
  | "trials" // more successes than trials, or fewer than none
  | "deviation" // a standard deviation that is not positive
  | "weight" // a weight below 0
  | "group" // a group that the fit did not see
  | "points" // fewer points than parameters
  | "target" // the program reads its own target
  | "shape" // the program's value has another shape than a fit needs
  // The parameters of a fit.
  | "slip" // a name that looks like a misspelt one
  | "builtin" // a parameter whose name means something in the language
  | "bounds" // bounds that contradict each other
  // A fit's first evaluation.
  | "failure" // the program fails
  | "prediction" // predictions are not finite
  | "objective" // the program's value, which is the loss, is not finite
  | "loss" // the user's own loss fails or is not finite
  | "gradient" // the loss or its gradient is not finite
  // Wrapping and files.
  | "within" // something happened inside a part (`actual`) of what the caller gave
  | "busy" // another process has the file
  // Tables.
  | "size" // more bytes or rows than are allowed
  | "empty" // no head, or no rows
  | "head" // the first row does not name the columns
  | "twice" // two columns of one name
  | "ragged" // a row with more or fewer cells than the head
  | "quote" // a quote that is not closed, or text behind one
  | "sheet" // a workbook does not have this sheet
  | "word" // a cell that is not a number, or no date, among cells that are
  | "words" // a column without a number
  // Archives.
  | "absent" // there is no such file
  | "exists" // there is one already
  | "foreign" // a file of something else
  | "header" // a file that does not begin as one should
  | "format" // written by another version
  | "schema" // a table or a column is not there
  | "page" // the database itself is damaged
  | "checksum" // a row is not as it was written
  | "kind" // a value is of another type than its column
  | "rows" // rows are not there
  | "text" // a text is not UTF-8
  | "json" // a text is not JSON, or not what it should be
  | "salvaged" // an archive that was salvaged and can only be read
  | "writer" // the thread that writes it is gone
  | "study"; // it holds another study: `option` says what differs

/** An error as data. Rows count from 0, as the caller gave them; numbers are finite. */
export interface ErrorFacts {
  readonly reason?: Reason;
  /** The option as JavaScript spells it: "stepsMax", "params.a.bounds". */
  readonly option?: string;
  /** What was allowed. */
  readonly limit?: number;
  /** What came. */
  readonly value?: number;
  /** The user's names that it is about. */
  readonly names?: readonly string[];
  /** Numbers of `names`, in their order: where a fit started. */
  readonly values?: readonly number[];
  /** The first few rows that it is about, and how many more there are. */
  readonly rows?: readonly number[];
  readonly rowsMore?: number;
  /** A column of a table, or a table of an archive. */
  readonly column?: string;
  /** What was expected and what came, where they are not numbers. */
  readonly expected?: string;
  readonly actual?: string;
  /** How often it was tried. */
  readonly attempts?: number;
  /** The error that led to this one. */
  readonly cause?: ErrorCause;
}

export interface ErrorCause {
  readonly message: string;
  readonly help?: string | undefined;
  readonly facts: ErrorFacts;
}

export interface ErrorDetails {
  readonly span?: Span | undefined;
  readonly help?: string | undefined;
  readonly source?: string | undefined;
  readonly file?: string | undefined;
  readonly facts?: ErrorFacts | undefined;
}

/** An error as plain data that can travel: without the text and the file, which are there already. */
export interface PackedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly span: Span | undefined;
  readonly help: string | undefined;
  readonly facts: ErrorFacts;
}

const NO_FACTS: ErrorFacts = Object.freeze({});

export class NdvmError extends Error {
  override readonly name = "NdvmError";
  readonly code: ErrorCode;
  readonly span: Span | undefined;
  readonly help: string | undefined;
  /** The program text that `span` points into. */
  readonly source: string | undefined;
  /** The file it came from, when the caller said so. */
  readonly file: string | undefined;
  /** The same for code to read. */
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.span = details.span;
    this.help = details.help;
    this.source = details.source;
    this.file = details.file;
    this.facts = details.facts ?? NO_FACTS;
  }

  /** The same error, told where its text comes from. Details already known are kept. */
  in(source: string, file?: string): NdvmError {
    return this.with({ source: this.source ?? source, file: this.file ?? file });
  }

  /** The same error with some of its parts replaced: the others are kept, facts too. */
  with({ message, ...changes }: ErrorDetails & { readonly message?: string }): NdvmError {
    const { span, help, source, file, facts } = this;
    const details = { span, help, source, file, facts, ...changes };
    return new NdvmError(this.code, message ?? this.message, details);
  }
}

export const packError = ({ code, message, span, help, facts }: NdvmError): PackedError => ({
  code,
  message,
  span,
  help,
  facts,
});

export const unpackError = (error: PackedError, source: string, file?: string): NdvmError =>
  new NdvmError(error.code, error.message, { ...error, source, file });
