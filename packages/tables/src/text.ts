/**
 * The public face of @ndvm/tables/text: what the text of a cell stands for, and why a file cannot be
 * read. It loads no reader of a format. For Node only.
 */

export { hasDash, nearNumber, parseNumber } from "./cells.js";
export { DATE_UNITS, type DateUnit } from "./dates.js";
export { systemReason, unreadable } from "./unreadable.js";
