/**
 * Figures in other pages that come from the results. They stand between two comments:
 *
 *   <!-- evidence: suite#kalman/ndvm/gradient -->25.0<!-- / -->          a figure
 *   <!-- evidence: A; over B -->9.6<!-- / -->                            A divided by B
 *   <!-- evidence: A; times 0.001 -->0.025<!-- / -->                     A times a number
 *
 * `npm run evidence` writes them again, and a test fails on one that differs, or on a figure of
 * speed that has no such comment.
 */

import type { Results } from "../harness/store.js";
import { Quote, short } from "./quote.js";

const REFERENCE = /(<!-- evidence: ([^>]+?) -->)(.*?)(<!-- \/ -->)/gs;

/** What a reference stands for; undefined where the results have no such entry. */
function figureOf(words: string, quote: Quote): string | undefined {
  const [ref = "", ...rules] = words.split(";").map((part) => part.trim());
  let value = quote.value(ref);
  for (const rule of rules) {
    if (value === undefined) return undefined;
    const [name, ...rest] = rule.split(" ");
    const operand = rest.join(" ");
    if (name === "times") value *= Number(operand);
    else if (name === "over") {
      const below = quote.value(operand);
      value = below === undefined ? undefined : value / below;
    } else return undefined;
  }
  return value === undefined ? undefined : short(value);
}

/** The text with its figures as the results have them. */
export function refresh(page: string, results: Results): string {
  const quote = new Quote(results);
  return page.replace(REFERENCE, (whole, open: string, words: string, _: string, close: string) => {
    const figure = figureOf(words, quote);
    return figure === undefined ? whole : `${open}${figure}${close}`;
  });
}

/** Figures of speed, as prose writes them. */
const SPEED = /\d[\d.,]*\s?(?:µs|ms|fits\/s|lanes\/s|candidates\/s|× (?:faster|slower))/g;

/** What is wrong with the figures of a page, in words. */
export function problemsOf(page: string, results: Results): string[] {
  const quote = new Quote(results);
  const problems: string[] = [];
  for (const [, , words = "", figure = ""] of page.matchAll(REFERENCE)) {
    const wanted = figureOf(words, quote);
    if (wanted === undefined) problems.push(`${words}: the results have no such figure`);
    else if (wanted !== figure)
      problems.push(`${words}: the page says ${figure}, the results ${wanted}`);
  }
  // What a command printed is an example, not a claim.
  const prose = page
    .replace(/```.*?```/gs, "")
    .replace(/^ {4}.*$/gm, "")
    .replace(REFERENCE, "")
    // A sentence about the paper quotes it.
    .split(/(?<=[.:!?])\s/)
    .filter((sentence) => !sentence.includes("paper's"))
    .join(" ");
  for (const [figure] of prose.matchAll(SPEED)) problems.push(`${figure}: comes from nowhere`);
  return problems;
}
