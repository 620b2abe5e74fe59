/** Commands waited for ever for a pipe that was named as an archive. */

import { readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, shell, writeFile } from "./run.js";

beforeAll(() => {
  expect(shell("mkfifo p").code).toBe(0);
  writeFile("line.csv", "x,y\n1,2\n2,4.1\n3,5.9\n4,8.2\n5,9.7\n6,12\n7,14.2\n8,16\n");
});

test.each([
  [["archive", "ls", "p"]],
  [["archive", "show", "p", "1"]],
  [["archive", "export", "p"]],
  [["archive", "check", "p"]],
  [["archive", "salvage", "p", "out.db"]],
  [["report", "p", "-o", "page.html"]],
  [["search", "--data", "line.csv", "--target", "y", "--workers", "0", "--out", "p", "--resume"]],
  [["archive", "ls", "/dev/null"]],
])("%j of a pipe or a device is refused at once, and leaves nothing", async (args) => {
  const before = readdirSync(folder);
  const { code, stdout, stderr } = await ndvmHere(args);
  expect(stderr).toMatch(/^error E-ARCHIVE: \S+ is not an archive: it is not an ordinary file$/m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(readdirSync(folder)).toEqual(before);
});
