/**
 * The public face of @ndvm/report/text: numbers and tables as plain text. It loads nothing that
 * draws.
 */

export {
  bytesText,
  countOf,
  countText,
  exactText,
  shortText,
  tickText,
  timeText,
} from "./numbers.js";
export { oneLine } from "./one-line.js";
export {
  formatGrid,
  formatTable,
  gridLines,
  type TextColumn,
  type TextStyle,
} from "./text-table.js";
