/** `ndvm report study.db`: one self-contained page about a study. */

import { openArchive } from "@ndvm/search";
import { note } from "../terminal.js";
import { requireNoFolder, requireWritable, writeTextFile } from "../text-file.js";

export async function report(file: string, page: string | undefined): Promise<number> {
  const target = page ?? `${file.replace(/\.db$/, "")}.html`;
  requireNoFolder(file);
  requireWritable(target);
  await writeReport(file, target);
  note(`wrote ${target}`);
  return 0;
}

export async function writeReport(file: string, page: string): Promise<void> {
  const archive = openArchive(file);
  try {
    const { studyReport } = await import("../search/study-report.js");
    await writeTextFile(page, await studyReport(archive));
  } finally {
    archive.close();
  }
}
