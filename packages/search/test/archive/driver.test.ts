/** What users read where the driver cannot open a file, or another process has it. */

import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { takeLock } from "../../src/archive/lock.js";
import { freshFile } from "../engine/support.js";

test("a lock that cannot be made is told in words, not in those of the driver", () => {
  const file = freshFile();
  mkdirSync(`${file}-lock`);
  expect(() => takeLock(file)).toThrow(
    expect.objectContaining({
      code: "E-ARCHIVE",
      message: `${file}-lock cannot be opened, or made`,
      help: "it must be a file, in a folder that you may write to, on a disk with room for it",
    }),
  );
});

test("a file that another process has does not make anybody look for room on the disk", () => {
  const file = freshFile();
  const holder = openDatabase(file);
  holder.exec("BEGIN EXCLUSIVE");
  const other = openDatabase(file, { timeout: 0 });
  expect(() => other.exec("BEGIN EXCLUSIVE")).toThrow(
    expect.objectContaining({
      help: "another process has it: wait until that one is done",
      facts: expect.objectContaining({ reason: "busy" }),
    }),
  );
  other.close();
  holder.close();
});
