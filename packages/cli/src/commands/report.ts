/** `ndvm report study.db`: one self-contained page about a study. */

import { inOneLine } from "@ndvm/core";
import { requireOutputs } from "../output-files.js";
import { openStudy } from "../search/open-study.js";
import { storyOf } from "../search/study-story.js";
import { note } from "../terminal.js";
import { writeTextFile } from "../text-file.js";

export async function report(file: string, page: string | undefined): Promise<number> {
  const target = page ?? `${file.replace(/\.db$/, "")}.html`;
  requireOutputs([{ as: "--out", file: target }], [{ as: "the study", file, isArchive: true }]);
  await writeReport(file, target);
  note(inOneLine(`wrote ${target}`));
  return 0;
}

export async function writeReport(file: string, page: string): Promise<void> {
  const archive = openStudy(file);
  try {
    const { studyReport } = await import("@ndvm/report");
    await writeTextFile(page, await studyReport(storyOf(archive)));
  } finally {
    archive.close();
  }
}
