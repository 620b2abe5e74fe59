/**
 * `ndvm archive check`: goes through all of a file and says what is intact. SQLite looks at its pages,
 * we at every row, at what rows say of each other, and at how many there should be.
 */

import { NdvmError } from "@ndvm/core";
import { checkJson, keyOfRow, readLedger, readRows, type Source } from "./checked-rows.js";
import { requireReadable } from "./head.js";
import { openForReading, resumptionOf } from "./reader.js";
import { SCHEMA_VERSION, TABLE_NAMES, type Table } from "./schema.js";
import { readState, visitsNamed } from "./state.js";
import { readStudy } from "./study-rows.js";
import { readEpoch, readEpochs, readVisit } from "./visits.js";

/** Something that is wrong, in words and as facts. */
export interface ArchiveProblem {
  readonly message: string;
  readonly facts: NdvmError["facts"];
}

export interface ArchiveCheck {
  readonly file: string;
  /** Undefined: the file cannot be opened. */
  readonly format: number | undefined;
  readonly isIntact: boolean;
  readonly canResume: boolean;
  /** The first of them, and how many more there are. */
  readonly problems: readonly ArchiveProblem[];
  readonly problemsMore: number;
  /** Rows of each table that are intact, and those that are not. */
  readonly tables: Readonly<Record<string, { readonly intact: number; readonly damaged: number }>>;
  /** Epochs whose visits are all there, those that are not, and the visits of the whole ones. */
  readonly epochs: { readonly intact: number; readonly damaged: number; readonly visits: number };
}

const PROBLEMS_MOST = 100;

/** Throws only where there is no file that can be read. */
export function checkArchive(file: string): ArchiveCheck {
  requireReadable(file);
  const check = new Check(file);
  let source: Source;
  try {
    source = openForReading(file);
  } catch (error) {
    check.note(error);
    return check.result(undefined);
  }
  try {
    check.run(source);
    return check.result(source.format);
  } finally {
    source.database.close();
  }
}

/** The same of an archive that is open: whether all that is in it is as it must be. */
export function checkSource(source: Source): ArchiveCheck {
  const check = new Check(source.database.file);
  check.read(source);
  return check.result(source.format);
}

class Check {
  readonly #file: string;
  readonly #problems: ArchiveProblem[] = [];
  readonly #told = new Set<string>();
  readonly #tables: Record<string, { intact: number; damaged: number }> = {};
  readonly #epochs = { intact: 0, damaged: 0, visits: 0 };
  #more = 0;
  #canResume = false;

  constructor(file: string) {
    this.#file = file;
  }

  run(source: Source): void {
    this.#try(() => source.database.exec("BEGIN"));
    this.read(source);
    this.#try(() => source.database.exec("COMMIT"));
  }

  /** Inside a transaction. */
  read(source: Source): void {
    this.#try(() => this.#pages(source));
    for (const table of TABLE_NAMES) this.#try(() => this.#table(source, table));
    this.#try(() => void readStudy(source));
    this.#try(() => this.#everyEpoch(source));
    this.#try(() => this.#whatStateNames(source));
    this.#try(() => this.#prompts(source));
    this.#try(() => this.#resumption(source));
  }

  result(format: number | undefined): ArchiveCheck {
    return {
      file: this.#file,
      format,
      isIntact: this.#problems.length === 0,
      canResume: this.#canResume && this.#problems.length === 0,
      problems: this.#problems,
      problemsMore: this.#more,
      tables: this.#tables,
      epochs: this.#epochs,
    };
  }

  note(error: unknown): void {
    if (!(error instanceof NdvmError)) throw error;
    const { message, facts } = error;
    if (this.#told.has(message)) return;
    this.#told.add(message);
    if (this.#problems.length < PROBLEMS_MOST) this.#problems.push({ message, facts });
    else this.#more += 1;
  }

  #try(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.note(error);
      return false;
    }
  }

  #pages({ database }: Source): void {
    const lines = database.all(
      `SELECT CAST(integrity_check AS BLOB) FROM pragma_integrity_check(${PROBLEMS_MOST})`,
    );
    for (const [line] of lines) {
      const problem = String(line);
      if (problem === "ok") continue;
      const facts = { reason: "page", actual: problem } as const;
      this.note(new NdvmError("E-ARCHIVE", `${this.#file} is damaged: ${problem}`, { facts }));
    }
  }

  #table(source: Source, table: Table): void {
    const count = { intact: 0, damaged: 0 };
    this.#tables[table] = count;
    const damaged = (error: NdvmError) => {
      count.damaged += 1;
      this.note(error);
    };
    for (const row of readRows(source, table, { damaged }))
      if (this.#try(() => checkJson(source, table, row))) count.intact += 1;
      else count.damaged += 1;
    if (source.format < SCHEMA_VERSION) return;
    const expected = readLedger(source).rows[table];
    const found = count.intact + count.damaged;
    if (found === expected) return;
    const problem = `the table ${table}: it had ${expected} rows and has ${found}`;
    throw new NdvmError("E-ARCHIVE", `${this.#file} is damaged: ${problem}`, {
      facts: { reason: "rows", column: table },
    });
  }

  #everyEpoch(source: Source): void {
    for (const row of readRows(source, "epochs", { damaged: () => this.#epochs.damaged++ })) {
      if (this.#try(() => readEpoch(source, row))) {
        this.#epochs.intact += 1;
        this.#epochs.visits += row.visits;
      } else this.#epochs.damaged += 1;
    }
    // In one go they must follow each other and leave no row over.
    for (const _epoch of readEpochs(source));
  }

  #whatStateNames(source: Source): void {
    const state = readState(source);
    if (state === undefined) return;
    for (const visit of visitsNamed(state)) {
      if (readVisit(source, visit)?.outcome.status === "scored") continue;
      const problem = `a member of the front, visit ${visit}, is missing`;
      const facts = { reason: "rows", column: "state", rows: [visit] } as const;
      this.note(new NdvmError("E-ARCHIVE", `${this.#file} is damaged: ${problem}`, { facts }));
    }
  }

  #prompts(source: Source): void {
    const known = new Set([...readRows(source, "prompts")].map(({ prompt }) => prompt));
    for (const table of ["candidates", "revisits"] as const)
      for (const row of readRows(source, table)) {
        if (row.prompt === null || known.has(row.prompt)) continue;
        const problem = `the prompt of row ${keyOfRow(table, row).join("/")} of ${table} is missing`;
        const facts = { reason: "rows", column: "prompts", rows: [row.prompt] } as const;
        this.note(new NdvmError("E-ARCHIVE", `${this.#file} is damaged: ${problem}`, { facts }));
      }
  }

  /** Reads what a search that goes on would read. */
  #resumption(source: Source): void {
    if (source.format !== SCHEMA_VERSION) return;
    if (readLedger(source).salvaged?.canResume === false) return;
    resumptionOf(source);
    this.#canResume = true;
  }
}
