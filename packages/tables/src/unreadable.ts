/** The error for a file that cannot be read, in words for what the system says. For Node only. */

import { NdvmError } from "@ndvm/core/machine";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "there is no such folder"],
  ["EACCES", "permission denied"],
  ["ENOSPC", "the disk is full"],
  ["EROFS", "the disk can only be read"],
  ["EFBIG", "the file would be larger than the system allows"],
]);

/** What the system's code of an error says. */
export function systemReason(cause: unknown): string {
  const code = (cause as { readonly code?: string }).code ?? "unknown reason";
  return REASONS.get(code) ?? code;
}

/** The error for a file that cannot be read. */
export function unreadable(file: string, cause: unknown): NdvmError {
  return new NdvmError("E-FILE", `cannot read ${file}: ${systemReason(cause)}`, {
    help: `the path is taken relative to ${process.cwd()}`,
    facts: { reason: "absent", actual: systemReason(cause) },
  });
}
