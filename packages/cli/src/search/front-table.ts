/** The front of a search as a table for the terminal. */

import { memberFormula, type StudyLoad, shortText } from "@ndvm/report";
import { choiceOf, type FrontMember } from "@ndvm/search";
import { formatTable } from "../tables.js";

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`;

/**
 * The arrow is at the choice. Bits are the description length, about where a member is not weighed
 * yet.
 */
export function frontTable(front: readonly FrontMember[], width: number, study: StudyLoad): string {
  const cell = (read: (member: FrontMember) => string) => (row: number) => {
    const member = front[row];
    return member === undefined ? "" : read(member);
  };
  const chosen = choiceOf(front);
  const figures = [
    { title: "", align: "left" as const, cell: cell((member) => (member === chosen ? "→" : "")) },
    { title: "size", align: "right" as const, cell: cell((member) => String(member.complexity)) },
    {
      title: "held-out R²",
      align: "right" as const,
      cell: cell((member) => member.r2.toFixed(6)),
    },
    {
      title: "bits",
      align: "right" as const,
      cell: cell(({ length, isWeighed }) => `${isWeighed ? "" : "~"}${length.toFixed(1)}`),
    },
    { title: "score", align: "right" as const, cell: cell((member) => member.score.toFixed(3)) },
    { title: "BIC", align: "right" as const, cell: cell((member) => shortText(member.bic, 5)) },
  ];
  const room = Math.max(20, width - 54);
  const model = {
    title: "model",
    align: "left" as const,
    cell: cell((member) => cut(memberFormula(member, study), room)),
  };
  return formatTable([...figures, model], front.length, "members", true);
}
