/**
 * The commands of co-search: `search`, `report`, `archive ls|show|export|check|salvage`. What they need is loaded
 * when one of them runs, so that the others start without a database.
 */

import { exportFormats } from "@ndvm/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseCount } from "../options.js";
import { addSearchOptions, type SearchCommandOptions } from "../search/options.js";
import type { ArchiveListOptions, ArchiveShowOptions } from "./archive.js";

type Finish = (code: number) => void;

export function addSearchCommands(root: Command, finish: Finish): void {
  addSearch(root, finish);
  root
    .command("report")
    .description("write a page (HTML) about a study")
    .argument("<study>", "archive of a search")
    .option("-o, --out <file>", "the page (default: the study's name with .html)")
    .action(async (file: string, { out }: { readonly out?: string }) => {
      const { report } = await import("./report.js");
      finish(await report(file, out));
    });
  addArchive(root, finish);
}

function addSearch(root: Command, finish: Finish): void {
  addSearchOptions(root.command("search"))
    .description("look for programs that explain a table")
    .addHelpText(
      "after",
      `
Examples:
  ndvm search --data data.csv --target y --budget 10m --out study.db --report study.html
  ndvm search --data data.csv --target y --inputs x,t --ops +,-,*,/,exp --max-complexity 20
  ndvm search --data data.csv --target y --proposer evolve,llm --describe 'a cooling cup of tea'
  ndvm search --data data.csv --target y --out study.db --resume
Ctrl-C ends a search cleanly, a second one at once; --resume goes on with it.`,
    )
    .action(async (options: SearchCommandOptions) => {
      const { search } = await import("./search.js");
      finish(await search(options));
    });
}

function addArchive(root: Command, finish: Finish): void {
  const archive = root.command("archive").description("look into the archive of a search");
  archive
    .command("ls")
    .description("the front, or the candidates")
    .argument("<study>", "archive of a search")
    .option("--all", "every candidate, in order")
    .option("--best <n>", "the most accurate candidates", parseCount)
    .option("--json", "JSON instead of a table")
    .action(async (file: string, options: ArchiveListOptions) => {
      const { archiveList } = await import("./archive.js");
      finish(archiveList(file, options));
    });
  archive
    .command("show")
    .description("one candidate: its program, fits, ancestors and prompt")
    .argument("<study>", "archive of a search")
    .argument("<candidate>", "its number", parseId)
    .option("--json", "JSON instead of text")
    .addOption(new Option("--export <format>", "its model in a language").choices(exportFormats))
    .action(async (file: string, id: number, options: ArchiveShowOptions) => {
      const { archiveShow } = await import("./archive.js");
      finish(archiveShow(file, id, options));
    });
  archive
    .command("export")
    .description("everything as JSON lines: the same bytes however the study was run")
    .argument("<study>", "archive of a search")
    .action(async (file: string) => {
      const { archiveExport } = await import("./archive.js");
      finish(archiveExport(file));
    });
  addRepair(archive, finish);
}

function addRepair(archive: Command, finish: Finish): void {
  archive
    .command("check")
    .description("go through every row and say what is intact")
    .argument("<study>", "archive of a search")
    .option("--json", "JSON instead of text")
    .action(async (file: string, options: { readonly json?: boolean }) => {
      const { archiveCheck } = await import("./archive.js");
      finish(archiveCheck(file, options));
    });
  archive
    .command("salvage")
    .description("copy the intact part of a damaged archive to a new one")
    .argument("<study>", "archive of a search")
    .argument("<out>", "the new archive")
    .action(async (file: string, target: string) => {
      const { archiveSalvage } = await import("./archive.js");
      finish(archiveSalvage(file, target));
    });
}

function parseId(text: string): number {
  const id = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(id) || id < 0) {
    throw new InvalidArgumentError("It must be the number of a candidate.");
  }
  return id;
}
