/** Several copies of secrets in one text, one secret inside the other: an oracle marks their letters one by one. */

import { describe, expect, test } from "vitest";
import { HIDDEN, Redactor } from "../src/redact.js";

/** What is left of a text without the letters of any occurrence of a secret. */
function without(text: string, secrets: readonly string[]): string {
  return [...text]
    .filter(
      (_, at) =>
        !secrets.some((secret) =>
          [...secret].some((_, offset) => at >= offset && text.startsWith(secret, at - offset)),
        ),
    )
    .join("");
}

/** Two texts in one, where so many letters are the end of one and the beginning of the other. */
const overlapped = (before: string, after: string, letters: number): string | undefined =>
  before.endsWith(after.slice(0, letters)) ? before + after.slice(letters) : undefined;

/** All texts of one to three copies, overlapping, touching and apart. */
function arrangements(secrets: readonly string[], joints: readonly (number | string)[]): string[] {
  let last: string[] = [...secrets];
  const all = new Set(last);
  for (let copies = 2; copies <= 3; copies++) {
    last = last.flatMap((text) =>
      secrets.flatMap((secret) =>
        joints.flatMap((joint) =>
          typeof joint === "string"
            ? [text + joint + secret]
            : (overlapped(text, secret, joint) ?? []),
        ),
      ),
    );
    for (const text of last) all.add(text);
  }
  return [...all];
}

const APART = [" ", "-", " and ", "..."];

describe("no letter of a secret is left, and every other letter", () => {
  test.each([
    ["at its beginning", "kz7w-Tq9fm", "kz7w"],
    ["in its middle", "kz7w-Tq9fm", "7w-Tq"],
    ["at its end", "kz7w-Tq9fm", "q9fm"],
    ["of nearly its length", "kz7w-Tq9fm", "z7w-Tq9f"],
    ["in a long one", "kz7w-Tq9fm_Yc2hXb8vRn4", "Tq9fm_"],
    ["whose beginning is its end, too", "kz9fmw-Tq9f", "9fmw-T"],
    ["of which the end is the beginning", "9fmw-Tq9fx9f", "9fmw-T"],
  ])("of copies of two, one inside the other, %s", (_, outer, inner) => {
    for (const secrets of [
      [outer, inner],
      [inner, outer],
    ]) {
      const redactor = new Redactor(secrets);
      const texts = arrangements(secrets, [0, 1, 2, 3, ...APART]);
      expect(texts.length).toBeGreaterThan(100);
      for (const text of texts)
        for (const whole of [text, `it was ${text}`, `${text} it was`]) {
          const shown = redactor.clean(whole);
          expect(shown.replaceAll(HIDDEN, ""), whole).toBe(without(whole, secrets));
          expect(redactor.finds(whole)).toBe(true);
        }
    }
  });
});
