/** The public face of @ndvm/tables. */

export { hasDash, nearNumber, parseNumber } from "./cells.js";
export { DATE_UNITS, type DateUnit } from "./dates.js";
export { readTable } from "./read.js";
export { type RowPlace, Table } from "./table.js";
export type { ByteSource, ReadOptions, TableFormat, TableSource } from "./types.js";
