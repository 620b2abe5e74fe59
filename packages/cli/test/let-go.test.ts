/**
 * What commands let go of: every machine that they make, listeners of signals, archives. And what the
 * command keeps between runs in one process: nothing of the run before.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Machine, type Program } from "@ndvm/core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { withInterrupt } from "../src/loaded.js";
import { Dialogue } from "../src/repl/dialogue.js";
import { ModelPlotter } from "../src/search/picture.js";
import { typedCommand } from "../src/typed-command.js";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const machines = { made: 0, let: 0 };
vi.mock("@ndvm/core", async (original) => watched(await original<typeof import("@ndvm/core")>()));
vi.mock("@ndvm/core/machine", async (original) =>
  watched(await original<typeof import("@ndvm/core/machine")>()),
);

/** The library with machines that are counted. */
function watched<T extends { Machine: typeof Machine }>(core: T): T {
  const create: typeof Machine.create = async (...given) => {
    const machine = await core.Machine.create(...given);
    machines.made += 1;
    const dispose = machine.dispose.bind(machine);
    machine.dispose = () => {
      machines.let += 1;
      dispose();
    };
    return machine;
  };
  return { ...core, Machine: { create } };
}

beforeAll(async () => {
  const rows = Array.from({ length: 12 }, (_, i) => `${i},${2 * i + 1},${i % 2 ? "a" : "b"}`);
  writeFile("l.csv", `x,y,cell\n${rows.join("\n")}\n`);
  writeFile("l.jsonl", '{"source": "(+ a (* b x))"}\n{"source": "(* a x)"}\n');
  const study = ["search", "--data", "l.csv", "--target", "y", "--inputs", "x", "--workers", "0"];
  await ndvmHere([...study, "--proposer", "replay:l.jsonl", "--out", "l.db"]);
});

const fit = ["fit", "-e", "(+ a (* b x))", "--data", "l.csv", "--target", "y", "--quiet"];

describe("nothing is left behind by", () => {
  test.each<[string, readonly string[], number]>([
    ["eval", ["eval", "-e", "(* 2 x)", "--set", "x=1"], 1],
    ["eval of lanes that fail", ["eval", "-e", "(if (< x 2) x (car x))", "--set", "x=1,2"], 1],
    ["grad", ["grad", "-e", "(* 2 x)", "--set", "x=1"], 1],
    ["explain", ["explain", "-e", "(* 2 x)", "--set", "x=1"], 1],
    ["explain without values", ["explain", "-e", "(* 2 x)"], 1],
    ["fit", fit, 1],
    ["fit of tested rows", [...fit, "--where", "(> x 2)", "--hold-out", "(> x 9)"], 2],
    ["fit of a test that fails", [...fit, "--where", "(car x)"], 2],
    ["fit of a program that does not load", ["fit", "-e", "(* a", ...fit.slice(3)], 1],
    ["fit of an option that makes no sense", [...fit, "--param", "zz=1"], 1],
    ["fit that fails", ["fit", "-e", "(+ a (car x))", ...fit.slice(3)], 1],
  ])("%s", async (_, args, made) => {
    Object.assign(machines, { made: 0, let: 0 });
    const before = process.listenerCount("SIGINT");
    await ndvmHere(args);
    expect(machines).toEqual({ made, let: made });
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  test("a search, its report and its archive", async () => {
    const before = process.listenerCount("SIGINT");
    for (const args of [
      ["report", "l.db"],
      ["report", "l.db", "--out", "other.html"],
      ["archive", "ls", "l.db"],
      ["archive", "show", "l.db", "0"],
      ["archive", "show", "l.db", "99"],
    ])
      await ndvmHere(args);
    expect(existsSync(join(folder, "l.html")) && existsSync(join(folder, "other.html"))).toBe(true);
    // An archive that is open has files beside it, and somebody's name on its door.
    expect(readdirSync(folder).filter((name) => name.startsWith("l.db"))).toEqual(["l.db"]);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});

test("a page is called after its study, whose name may hold .db in its middle", async () => {
  const study = ["search", "--data", "l.csv", "--target", "y", "--inputs", "x", "--workers", "0"];
  await ndvmHere([...study, "--proposer", "replay:l.jsonl", "--out", "z.db.old"]);
  expect((await ndvmHere(["report", "z.db.old"])).stderr).toContain("wrote z.db.old.html");
});

test("the first Ctrl-C ends the work, the second the process", async () => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as never);
  const before = process.listenerCount("SIGINT");
  const seen = await withInterrupt(async (signal) => {
    const aborted = [signal.aborted];
    process.emit("SIGINT", "SIGINT");
    aborted.push(signal.aborted);
    expect(exit).not.toHaveBeenCalled();
    process.emit("SIGINT", "SIGINT");
    expect(exit).toHaveBeenCalledWith(130);
    return aborted;
  });
  expect(seen).toEqual([false, true]);
  await expect(withInterrupt(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(process.listenerCount("SIGINT")).toBe(before);
  exit.mockRestore();
});

test("the command is remembered as it was typed last, quoted for a shell", async () => {
  await ndvmHere(["eval", "-e", "(* 2 x)", "--set", "x=1"]);
  expect(typedCommand()).toBe("ndvm eval -e '(* 2 x)' --set x=1");
  await ndvmHere(["eval", "-e", "'a"]);
  expect(typedCommand()).toBe(String.raw`ndvm eval -e ''\''a'`);
  await ndvmHere(["eval", "", "a b", "x=1,2:3@4%5+6./-_", "é"]);
  expect(typedCommand()).toBe("ndvm eval '' 'a b' x=1,2:3@4%5+6./-_ 'é'");
});

test("addresses in the command are told by what they mean, or left out", async () => {
  const typed = async (...words: string[]) => {
    await ndvmHere(["eval", ...words]);
    return typedCommand(
      new Map([
        ["--base-url", { shown: "http://h/v1" }],
        ["--unused", { shown: undefined }],
        ["--cluster", { shown: "redis://h", isOptional: true }],
      ]),
    );
  };
  expect(await typed("--base-url", "http://me:p w@h/v1?k=1", "-x")).toBe(
    "ndvm eval --base-url http://h/v1 -x",
  );
  expect(await typed("--base-url=-p", "--base-url", "-p")).toBe(
    "ndvm eval --base-url http://h/v1 --base-url http://h/v1",
  );
  expect(await typed("--unused", "a", "b", "--unused=c")).toBe("ndvm eval b");
  expect(await typed("--cluster", "redis://:p@h", "x")).toBe("ndvm eval --cluster redis://h x");
  expect(await typed("--cluster", "--json")).toBe("ndvm eval --cluster --json");
  expect(await typed("x", "--cluster")).toBe("ndvm eval x --cluster");
});

test("a dialogue lets go of every program, also of those that fail", async () => {
  const machine = await Machine.create();
  const programs = { open: 0, made: 0 };
  const load = machine.load.bind(machine);
  machine.load = (...given) => {
    const program = load(...given);
    programs.open += 1;
    programs.made += 1;
    const dispose = program.dispose.bind(program);
    (program as { dispose: Program["dispose"] }).dispose = () => {
      programs.open -= 1;
      dispose();
    };
    return program;
  };
  const options = { precision: "f64", domain: "ieee" } as const;
  const dialogue = new Dialogue(machine, options, {}, async () => "");
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  for (const line of [
    ...["(define k 2)", ":set a=3", "(* k a)", ":grad", ":tape", ":core", "(car a)"],
    ...["(define z (car 1))", "(+ a missing)", ":grad nothing", "(* a a)"],
  ])
    await dialogue.run(line, new AbortController().signal).catch(() => {});
  write.mockRestore();
  expect(programs.made).toBeGreaterThan(8);
  expect(programs.open).toBe(0);
  machine.dispose();
});

test("a dialogue tells the lanes that a time is of, where there are several", async () => {
  const machine = await Machine.create();
  const dialogue = new Dialogue(machine, { precision: "f64", domain: "ieee" }, {}, async () => "");
  let said = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  for (const line of [":set x=2", "(* x x)", ":time", ":set x=1,2,3", ":time"])
    await dialogue.run(line, new AbortController().signal);
  write.mockRestore();
  machine.dispose();
  const words = said.split("\n").map((line) => line.split(" ")[0]);
  expect(words).toEqual(["4", "value", "gradient", "value", "gradient", "lanes", ""]);
  expect(said).toMatch(/\nlanes {6}3\n$/);
});

test("a search lets go of what draws its models, however it ends", async () => {
  const disposed = vi.spyOn(ModelPlotter.prototype, "dispose");
  const study = ["search", "--data", "l.csv", "--target", "y", "--inputs", "x", "--workers", "0"];
  const found = await ndvmHere([...study, "--proposer", "replay:l.jsonl", "--out", "again.db"]);
  expect([found.code, disposed.mock.calls.length]).toEqual([0, 1]);
  vi.spyOn(ModelPlotter.prototype, "text").mockImplementation(() => {
    throw new Error("no plot");
  });
  const failing = [...study, "--proposer", "replay:l.jsonl", "--out", "failing.db"];
  await expect(ndvmHere(failing)).rejects.toThrow("no plot");
  expect(disposed).toHaveBeenCalledTimes(2);
  vi.restoreAllMocks();
});
