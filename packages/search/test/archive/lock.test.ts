/**
 * The lock of an archive, attempt by attempt: others leave, and take the file with them, between any
 * two of its steps.
 */

import { existsSync, rmSync } from "node:fs";
import { NdvmError } from "@ndvm/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/archive/driver.js";
import { takeLock } from "../../src/archive/lock.js";
import { freshFile } from "../engine/support.js";

/** What happens in the world around: told of every step, and of the file that it is at. */
const world = vi.hoisted(() => ({
  steps: [] as string[],
  open: 0,
  /** Called after a step. */
  after: (_step: string, _file: string): void => {},
}));

vi.mock(import("../../src/archive/driver.js"), async (original) => {
  const actual = await original();
  const note = (step: string, file: string): void => {
    world.steps.push(step);
    world.after(step, file);
  };
  return {
    ...actual,
    openDatabase: (file, options): Database => {
      const database = actual.openDatabase(file, options);
      world.open += 1;
      note("open", file);
      return {
        ...database,
        exec: (sql) => {
          database.exec(sql);
          note("lock", file);
        },
        close: () => {
          database.close();
          world.open -= 1;
          note("close", file);
        },
      };
    },
  };
});

let archive: string;
const lockFile = () => `${archive}-lock`;

beforeEach(() => {
  archive = freshFile();
  world.steps.length = 0;
  world.open = 0;
  world.after = () => {};
});
afterEach(() => rmSync(lockFile(), { force: true }));

/** What is told to whoever comes second. */
function refused(act: () => unknown): NdvmError {
  try {
    act();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("one lock", () => {
  test("is had by one, and by the next once it is given back", () => {
    for (let turn = 0; turn < 3; turn++) {
      const lock = takeLock(archive);
      expect([world.open, existsSync(lockFile())]).toEqual([1, true]);
      const error = refused(() => takeLock(archive));
      expect([error.code, error.message, error.facts]).toEqual([
        "E-ARCHIVE",
        `another search is writing ${archive}`,
        { reason: "busy" },
      ]);
      expect(error.help).toMatch(/wait for it to end/);
      // Nothing of the refused one is left open, and the lock still holds.
      expect(world.open).toBe(1);
      expect(refused(() => takeLock(archive)).code).toBe("E-ARCHIVE");
      lock.release();
      expect([world.open, existsSync(lockFile())]).toEqual([0, false]);
    }
  });

  test("of another archive is another one", () => {
    const mine = takeLock(archive);
    const other = takeLock(`${archive}-2`);
    expect(world.open).toBe(2);
    mine.release();
    other.release();
    expect([existsSync(lockFile()), existsSync(`${archive}-2-lock`)]).toEqual([false, false]);
  });

  test("on a file whose name leads elsewhere is none: it is tried again, ten times in all", () => {
    for (let lost = 0; lost <= 12; lost++) {
      let left = lost;
      world.steps.length = 0;
      // Whoever leaves removes the file that we have just locked; the next look makes a new one.
      world.after = (step, file) => {
        if (step !== "lock" || left === 0 || world.open !== 1) return;
        left -= 1;
        rmSync(file);
      };
      const attempts = Math.min(lost + 1, 10);
      if (lost < 10) {
        const lock = takeLock(archive);
        expect(world.open, `${lost} lost`).toBe(1);
        expect(refused(() => takeLock(archive)).facts).toEqual({ reason: "busy" });
        lock.release();
      } else expect(refused(() => takeLock(archive)).facts).toEqual({ reason: "busy" });
      expect(world.open, `${lost} lost`).toBe(0);
      const locked = world.steps.filter((step) => step === "lock").length;
      expect(locked, `${lost} lost`).toBe(lost < 10 ? 2 * attempts - 1 : 20);
      world.after = () => {};
      rmSync(lockFile(), { force: true });
    }
  });

  test("whatever else goes wrong is told as it is, and nothing stays open", () => {
    world.after = (step) => {
      if (step === "lock") throw new TypeError("the disk is on fire");
    };
    expect(() => takeLock(archive)).toThrow(TypeError);
    expect(world.open).toBe(0);
    world.after = () => {};
    takeLock(archive).release();
  });

  test("given back after its file is gone is given back all the same", () => {
    const lock = takeLock(archive);
    rmSync(lockFile());
    lock.release();
    expect(world.open).toBe(0);
    takeLock(archive).release();
  });
});
