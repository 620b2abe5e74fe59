/**
 * What a command writes must not be what it reads, nor what else it writes: a page in the place of the
 * table that it tells of would end both. All commands ask here before they begin.
 *
 * Two names are one file where device and inode agree, and, where there is nothing yet, where the folder
 * and the last part of the name do. Beside an archive, the names of its log, its journal and its lock
 * are the archive's, too. Terminals, pipes and /dev/null may have several uses.
 */

import { fstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { NdvmError } from "@ndvm/core/machine";
import { requireNoDatabase, requireWritable } from "./text-file.js";

export interface CommandFile {
  /** How an error calls it: the option that names it. */
  readonly as: string;
  /** Undefined or "-": there is none. */
  readonly file: string | undefined;
  readonly isArchive?: boolean;
}

/** Throws unless every output can be written without harm to any other file of the command. */
export function requireOutputs(
  outputs: readonly CommandFile[],
  inputs: readonly CommandFile[],
): void {
  const taken = new Map<string, string>();
  const take = (place: string | undefined, as: string): void => {
    if (place !== undefined && !taken.has(place)) taken.set(place, as);
  };
  take(placeOfStream(0), "standard input");
  take(placeOfStream(1), "standard output");
  for (const { as, file, isArchive } of inputs)
    if (isFile(file)) for (const name of namesOf(file, isArchive)) take(placeOf(name), as);
  for (const { as, file, isArchive } of outputs) {
    if (file === undefined) continue;
    if (file === "") throw nameless(as);
    requireWritable(file);
    const places = namesOf(file, isArchive).map(placeOf);
    for (const place of places) {
      const other = place === undefined ? undefined : taken.get(place);
      if (other !== undefined) throw sameFile(as, file, other);
    }
    if (isArchive !== true) requireNoDatabase(file);
    for (const place of places) take(place, as);
  }
}

const isFile = (file: string | undefined): file is string =>
  file !== undefined && file !== "" && file !== "-";

const BESIDE_AN_ARCHIVE = ["", "-journal", "-wal", "-shm", "-lock", "-lock-journal"];

const namesOf = (file: string, isArchive = false): readonly string[] =>
  isArchive ? BESIDE_AN_ARCHIVE.map((ending) => file + ending) : [file];

/** What tells a file from all others; undefined of what is no ordinary file. */
function placeOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined) return placeOfFound(found);
  const folder = realFolder(file);
  if (folder === undefined) return undefined;
  const name = join(folder, basename(resolve(file)));
  const target = linkedFrom(name);
  return target === undefined ? `new ${name}` : placeOf(resolve(folder, target));
}

function placeOfFound(found: {
  readonly dev: bigint;
  readonly ino: bigint;
  isFile(): boolean;
}): string | undefined {
  return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
}

function realFolder(file: string): string | undefined {
  try {
    return realpathSync(dirname(resolve(file)));
  } catch {
    return undefined;
  }
}

/** Where a link leads to that has nothing at its end. */
function linkedFrom(name: string): string | undefined {
  try {
    return readlinkSync(name);
  } catch {
    return undefined;
  }
}

function placeOfStream(descriptor: number): string | undefined {
  try {
    return placeOfFound(fstatSync(descriptor, { bigint: true }));
  } catch {
    // It is closed.
    return undefined;
  }
}

const nameless = (as: string): NdvmError =>
  new NdvmError("E-OPTION", `${as} names no file`, { help: "give it a name, or leave it out" });

const sameFile = (as: string, file: string, other: string): NdvmError =>
  new NdvmError("E-OPTION", `${as} ${file} is the file of ${other}, which it would overwrite`, {
    help: "name another file",
  });
