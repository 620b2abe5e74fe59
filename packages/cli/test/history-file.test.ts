/** The history of dialogues is a file: what else wrote to it could steer the terminal, line by line. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { loadHistory, saveHistory } from "../src/repl/history.js";
import { folder } from "./run.js";

afterEach(() => void vi.unstubAllEnvs());

test("lines with control characters and with what nobody sees are not called back", () => {
  const state = join(folder, "history-state");
  vi.stubEnv("XDG_STATE_HOME", state);
  mkdirSync(join(state, "ndvm"), { recursive: true });
  const evil = ["\x1b[2J(+ 1 2)", "(+ 1\u202e 2)", "(* a\u200b 2)", "\x9b31m", "(+ 1 2)\r"];
  writeFileSync(join(state, "ndvm/history"), ["(+ 1 1)", ...evil, "(exp größe)", ""].join("\n"));
  expect(loadHistory()).toEqual(["(exp größe)", "(+ 1 1)"]);
  saveHistory(["b", "a"]);
  expect(loadHistory()).toEqual(["b", "a"]);
});
