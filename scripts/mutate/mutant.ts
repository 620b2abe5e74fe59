/**
 * A mutant: one small bug at one place of one source file, as a replacement of text.
 *
 * It is recognised again after the file has changed elsewhere by what it does and where: the file, the
 * function around it, the kind of bug, the text before and after, and the whole line.
 */

export interface Mutant {
  /** From the root of the repository, with forward slashes. */
  readonly file: string;
  /** The nearest named function or method around it, or "" at the top of the file. */
  readonly inside: string;
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** The line it starts on, without the spaces around it. */
  readonly lineText: string;
}

/** The source with the bug in it. */
export function planted(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}

/** What makes two mutants the same bug, wherever its line has moved to. */
export function identityOf(mutant: Omit<Mutant, "start" | "end" | "line">): string {
  const { file, inside, kind, before, after, lineText } = mutant;
  return JSON.stringify([file, inside, kind, before, after, lineText]);
}

/** One line for people: the place, the kind, and what stands there instead. */
export function described({ file, line, kind, before, after }: Mutant): string {
  const brief = (text: string) => {
    const flat = text.replace(/\s+/g, " ").trim();
    return flat.length > 70 ? `${flat.slice(0, 67)}...` : flat;
  };
  return `${file}:${line} [${kind}] ${brief(before) || "(nothing)"} → ${brief(after) || "(nothing)"}`;
}
