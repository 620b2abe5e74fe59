/**
 * Workbooks (XLSX): a ZIP archive of XML, unpacked by fflate and read by saxes.
 *
 * Only the parts that a table needs are unpacked, none to more than the archive says it holds, and
 * all of them together to no more than `bytesMax`. Formulas are not computed: the value that the
 * spreadsheet stored counts. Nothing outside the file is ever opened.
 */

import { unzipSync } from "fflate";
import type { TableBuilder } from "./builder.js";
import { tableError } from "./errors.js";
import { readSheet, type SheetStyle } from "./sheet.js";
import { allBytes, type OpenSource, requireSize } from "./source.js";
import type { Table } from "./table.js";
import type { ReadOptions } from "./types.js";
import { readXml } from "./xml.js";

type Parts = ReadonlyMap<string, Uint8Array>;

interface Sheet {
  readonly name: string;
  readonly id: string;
}

export async function readWorkbook(
  builder: TableBuilder,
  source: OpenSource,
  options: ReadOptions,
  bytesMax: number,
): Promise<Table> {
  const bytes = await allBytes(builder.name, source, bytesMax);
  const unpack = unpackerOf(builder.name, bytes, bytesMax);
  const frame = unpack((name) =>
    /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|styles\.xml|sharedStrings\.xml)$/.test(name),
  );
  const workbook = frame.get("xl/workbook.xml");
  if (workbook === undefined) {
    const facts = { reason: "foreign", expected: "xlsx" } as const;
    throw tableError(builder.name, "the archive holds no workbook", facts, "unpack it first");
  }
  const { sheets, is1904 } = readFrame(workbook);
  const sheet = chooseSheet(builder.name, sheets, options.sheet);
  const path = targets(frame).get(sheet.id) ?? "";
  const found = unpack((name) => name === path).get(path);
  if (found === undefined) throw new Error(`the sheet ${sheet.name} is not in it`);
  const style: SheetStyle = {
    is1904,
    isDate: dateStyles(frame.get("xl/styles.xml")),
    strings: sharedStrings(frame.get("xl/sharedStrings.xml")),
  };
  return readSheet(builder, found, style, options.head === "optional");
}

/** Unpacks parts of an archive; all that it ever unpacks counts together. */
function unpackerOf(
  name: string,
  bytes: Uint8Array,
  bytesMax: number,
): (isWanted: (part: string) => boolean) => Parts {
  let total = 0;
  return (isWanted) => {
    const files = unzipSync(bytes, {
      filter: (file) => {
        if (!isWanted(file.name)) return false;
        total += file.originalSize;
        requireSize(name, total, bytesMax);
        return true;
      },
    });
    return new Map(Object.entries(files));
  };
}

function readFrame(bytes: Uint8Array): { sheets: readonly Sheet[]; is1904: boolean } {
  const sheets: Sheet[] = [];
  let is1904 = false;
  readXml(bytes, {
    open(element, attribute) {
      if (element === "workbookPr") is1904 = /^(1|true)$/.test(attribute("date1904") ?? "");
      if (element === "sheet")
        sheets.push({ name: attribute("name") ?? "", id: attribute("id") ?? "" });
    },
  });
  return { sheets, is1904 };
}

function chooseSheet(
  name: string,
  sheets: readonly Sheet[],
  wanted: string | number | undefined,
): Sheet {
  const names = sheets.map((sheet) => sheet.name);
  const index = typeof wanted === "string" ? names.indexOf(wanted) : (wanted ?? 1) - 1;
  const sheet = sheets[index];
  if (sheet !== undefined) return sheet;
  throw tableError(
    name,
    `there is no sheet ${wanted ?? 1}`,
    { reason: "sheet", actual: String(wanted ?? 1), names },
    `its sheets are ${names.slice(0, 12).join(", ")}`,
  );
}

/** Where each sheet is, by the id that the workbook gives it. */
function targets(frame: Parts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const bytes = frame.get("xl/_rels/workbook.xml.rels");
  if (bytes === undefined) return found;
  readXml(bytes, {
    open(element, attribute) {
      if (element !== "Relationship") return;
      const target = attribute("Target") ?? "";
      const path = target.startsWith("/") ? target.slice(1) : `xl/${target.replace(/^\.\//, "")}`;
      found.set(attribute("Id") ?? "", path);
    },
  });
  return found;
}

/** Texts that cells name by number. Readings of Asian words (rPh) are no part of them. */
function sharedStrings(bytes: Uint8Array | undefined): readonly string[] {
  const strings: string[] = [];
  if (bytes === undefined) return strings;
  let text = "";
  let isText = false;
  let isReading = false;
  readXml(bytes, {
    open(element) {
      if (element === "si") text = "";
      if (element === "rPh") isReading = true;
      isText = element === "t" && !isReading;
    },
    text(part) {
      if (isText) text += part;
    },
    close(element) {
      if (element === "t") isText = false;
      if (element === "rPh") isReading = false;
      if (element === "si") strings.push(text);
    },
  });
  return strings;
}

/** For each style of cells, whether it shows a number as a date. */
function dateStyles(bytes: Uint8Array | undefined): readonly boolean[] {
  if (bytes === undefined) return [];
  const formats = new Map<number, string>();
  const styles: boolean[] = [];
  let isCells = false;
  readXml(bytes, {
    open(element, attribute) {
      if (element === "cellXfs") isCells = true;
      const id = Number(attribute("numFmtId") ?? "0");
      if (element === "numFmt") formats.set(id, attribute("formatCode") ?? "");
      if (element === "xf" && isCells) styles.push(isDateFormat(id, formats.get(id)));
    },
    close(element) {
      if (element === "cellXfs") isCells = false;
    },
  });
  return styles;
}

/** Formats that every spreadsheet knows by number: 14 to 17 and 22 are dates, as in East Asia. */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) {
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  }
  // Words in quotes, escaped marks, and colours and countries in brackets say nothing.
  const bare = code.replace(/"[^"]*"|\\.|_.|\[[^\]]*\]/g, "").split(";")[0] ?? "";
  return /[yd]/i.test(bare) && !/[#0?]/.test(bare);
}
