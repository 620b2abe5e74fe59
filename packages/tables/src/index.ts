/** The public face of @ndvm/tables. */

export { hasDash, parseNumber } from "./cells.js";
export { DATE_UNITS, type DateUnit } from "./dates.js";
export { readTable } from "./read.js";
export { nearNumber, type RowPlace, Table } from "./table.js";
export type { ByteSource, ReadOptions, TableFormat, TableSource } from "./types.js";
