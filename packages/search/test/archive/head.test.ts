/**
 * The head of an archive's file on a disk of the test's own: what is said of every head, and which files stay
 * open. Closing a file that is written drops its locks, so only one descriptor of it may ever be made.
 */

import type { NdvmError } from "@ndvm/core";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { checkHead, requireReadable } from "../../src/archive/head.js";

interface FakeFile {
  readonly dev: bigint;
  readonly ino: bigint;
  bytes: Buffer;
  isBroken?: boolean;
}

const disk = vi.hoisted(() => ({
  files: new Map<string, unknown>(),
  open: new Map<number, unknown>(),
  opened: [] as string[],
}));
vi.mock("node:fs", async (original) => {
  const fileOf = (name: string): FakeFile => {
    const file = disk.files.get(name) as FakeFile | undefined;
    if (file === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    return file;
  };
  const behind = (descriptor: number): FakeFile => {
    const file = disk.open.get(descriptor) as FakeFile | undefined;
    if (file === undefined) throw Object.assign(new Error("bad descriptor"), { code: "EBADF" });
    return file;
  };
  return {
    ...(await original<typeof import("node:fs")>()),
    statSync: (name: string, { bigint = false } = {}) => {
      const { dev, ino } = fileOf(name);
      const kind = { isFile: () => true, isDirectory: () => false };
      return bigint ? { ...kind, dev, ino } : { ...kind, dev: Number(dev), ino: Number(ino) };
    },
    openSync: (name: string) => {
      disk.opened.push(name);
      disk.open.set(100 + disk.opened.length, fileOf(name));
      return 100 + disk.opened.length;
    },
    closeSync: (descriptor: number) => {
      behind(descriptor);
      disk.open.delete(descriptor);
    },
    fstatSync: (descriptor: number) => ({ size: behind(descriptor).bytes.length }),
    readSync: (descriptor: number, into: Buffer, at: number, count: number, from: number) => {
      const { bytes, isBroken } = behind(descriptor);
      if (isBroken) throw Object.assign(new Error("a broken disk"), { code: "EIO" });
      return bytes.copy(into, at, from, from + count);
    },
  };
});

let inode = 0n;
const put = (name: string, bytes: Buffer, more: Partial<FakeFile> = {}): FakeFile => {
  const file = { dev: 1n, ino: ++inode, bytes, ...more };
  disk.files.set(name, file);
  return file;
};

const REST = 0x0101;
const WRITTEN = 0x0202;

/** A file of two pages with the head that SQLite writes. */
function archiveOf(mode: number, change: (bytes: Buffer) => void = () => {}, page = 4096): Buffer {
  const bytes = Buffer.alloc(2 * page);
  bytes.write("SQLite format 3\0", "latin1");
  bytes.writeUInt16BE(page === 65_536 ? 1 : page, 16);
  bytes.writeUInt16BE(mode, 18);
  bytes.writeUInt32BE(0x00402020, 20);
  bytes.writeUInt32BE(2, 28);
  bytes.writeUInt32BE(4, 44);
  bytes.writeUInt32BE(1, 56);
  change(bytes);
  return bytes;
}

const saidOf = (act: () => void) => {
  try {
    act();
  } catch (error) {
    const { code, message, facts, help } = error as NdvmError;
    return { code, message, facts, help };
  }
  return undefined;
};
const said = (bytes: Buffer) => {
  put("a", bytes);
  const found = saidOf(() => checkHead("a"));
  return found && `${found.facts.reason}: ${found.message}`;
};

beforeEach(() => {
  disk.files.clear();
  disk.open.clear();
  disk.opened.length = 0;
});

describe("a head", () => {
  test.each([512, 4096, 65_536])("with pages of %d bytes is sound, at rest and written", (page) => {
    for (const mode of [REST, WRITTEN])
      expect(said(archiveOf(mode, () => {}, page))).toBeUndefined();
  });

  test.each([
    ["foreign: a is not an archive", (bytes: Buffer) => bytes.fill(0, 0, 1)],
    ["foreign: a is not an archive", (bytes: Buffer) => bytes.fill(1, 15, 16)],
    [
      "header: a is damaged: the size of its pages is none",
      (b: Buffer) => b.writeUInt16BE(256, 16),
    ],
    [
      "header: a is damaged: the size of its pages is none",
      (b: Buffer) => b.writeUInt16BE(768, 16),
    ],
    ["header: a is damaged: the size of its pages is none", (b: Buffer) => b.writeUInt16BE(0, 16)],
    [
      "header: a is damaged: its head does not say how it is written",
      (b: Buffer) => b.fill(3, 18, 19),
    ],
    [
      "header: a is damaged: its head is not one that SQLite writes",
      (b: Buffer) => b.fill(0, 21, 22),
    ],
  ] as const)("is damaged at rest and while it is written: %s", (problem, change) => {
    for (const mode of [REST, WRITTEN]) expect(said(archiveOf(mode, change))).toBe(problem);
  });

  test.each([
    ["its head does not say that its texts are UTF-8", (b: Buffer) => b.writeUInt32BE(3, 44)],
    ["its head does not say that its texts are UTF-8", (b: Buffer) => b.writeUInt32BE(2, 56)],
    ["it has 8192 bytes, and its head says 12288", (b: Buffer) => b.writeUInt32BE(3, 28)],
    ["it has 8192 bytes, and its head says 4096", (b: Buffer) => b.writeUInt32BE(1, 28)],
  ] as const)("is damaged at rest alone, as a log may hold a newer one: %s", (problem, change) => {
    expect(said(archiveOf(REST, change))).toBe(`header: a is damaged: ${problem}`);
    expect(said(archiveOf(WRITTEN, change))).toBeUndefined();
  });

  test("that is cut off is told as such, and one without a letter is none", () => {
    expect(said(archiveOf(REST).subarray(0, 99))).toBe("header: a is damaged: its head is cut off");
    expect(said(archiveOf(REST).subarray(0, 10))).toBe("foreign: a is not an archive");
    expect(said(Buffer.alloc(0))).toBe("foreign: a is not an archive");
  });

  test("that nobody can read is told with the reason, and what is absent as absent", () => {
    put("a", archiveOf(REST), { isBroken: true });
    expect(saidOf(() => requireReadable("a"))).toEqual({
      ...{
        code: "E-ARCHIVE",
        message: "a cannot be read: a broken disk",
        facts: { actual: "EIO" },
      },
      help: "an archive is a file that ndvm search writes",
    });
    expect(disk.open.size).toBe(0);
    expect(saidOf(() => requireReadable("b"))).toEqual({
      ...{ code: "E-ARCHIVE", message: "there is no archive b", facts: { reason: "absent" } },
      help: "ndvm search --out FILE writes one",
    });
  });
});

describe("a file", () => {
  test("at rest, foreign or cut off is closed after every look", () => {
    for (const bytes of [archiveOf(REST), Buffer.alloc(9), archiveOf(WRITTEN).subarray(0, 60)]) {
      put("a", bytes);
      for (let look = 0; look < 3; look++) requireReadable("a");
    }
    expect([disk.open.size, disk.opened.length]).toEqual([0, 9]);
  });

  test("that is written is opened once, stays open, and is closed once it is at rest", () => {
    const file = put("a", archiveOf(WRITTEN));
    for (let look = 0; look < 3; look++) checkHead("a");
    expect([disk.open.size, disk.opened]).toEqual([1, ["a"]]);
    file.isBroken = true;
    expect(saidOf(() => checkHead("a"))?.message).toBe("a cannot be read: a broken disk");
    expect(disk.open.size).toBe(1);
    file.isBroken = false;
    file.bytes = archiveOf(REST);
    checkHead("a");
    expect([disk.open.size, disk.opened]).toEqual([0, ["a"]]);
    file.bytes = archiveOf(WRITTEN);
    checkHead("a");
    expect([disk.open.size, disk.opened]).toEqual([1, ["a", "a"]]);
  });

  test("is known by its device and all digits of its inode, not by its name", () => {
    const large = 2n ** 60n;
    const written = archiveOf(WRITTEN);
    const one = put("one", written, { ino: large });
    put("next", written, { ino: large + 1n });
    put("elsewhere", written, { dev: 2n, ino: large });
    disk.files.set("again", one);
    for (const name of ["one", "next", "elsewhere", "again", "one"]) checkHead(name);
    expect(disk.opened).toEqual(["one", "next", "elsewhere"]);
    expect(disk.open.size).toBe(3);
  });
});
