/** Errors that nobody foresaw went to the terminal as Node writes them, with a stranger's control characters. */

import { createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { reportInternalError } from "../src/main.js";
import { startNdvm, writeFile } from "./run.js";

const EVIL = "\x1b[31mEVIL\x1b]0;t\x07\u009b\u202e";

test("an error of ours is told with its stack and without control characters", () => {
  let written = "";
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
  expect(reportInternalError(new Error(EVIL))).toBe(1);
  expect(reportInternalError(EVIL)).toBe(1);
  spy.mockRestore();
  expect(written).toMatch(/^internal error: Error: \\u001b\[31mEVIL/);
  expect(written).toContain("\n    at ");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(written).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

/** The first command as it came, and its name; no name where it is not there as a whole. */
function commandAtStartOf(text: string): [command: string, name?: string | undefined] {
  const [head = "", words = "0"] = /^\*(\d+)\r\n/.exec(text) ?? [];
  let at = head.length;
  let name: string | undefined;
  for (let i = 0; i < Number(words); i++) {
    const [size = "", bytes = "0"] = /^\$(\d+)\r\n/.exec(text.slice(at)) ?? [];
    const from = at + size.length;
    at = from + Number(bytes) + 2;
    if (size === "" || at > text.length) return [""];
    name ??= text.slice(from, at - 2).toLowerCase();
  }
  return [text.slice(0, at), name];
}

/** A server that speaks like Redis, and refuses scripts with words for a terminal. */
async function startRedis() {
  const server = createServer((socket) => {
    socket.setEncoding("latin1");
    socket.on("error", () => {});
    let waiting = "";
    socket.on("data", (data) => {
      waiting += data;
      for (;;) {
        const [command, name] = commandAtStartOf(waiting);
        if (name === undefined) return;
        waiting = waiting.slice(command.length);
        const info = "redis_version:7.2.0\r\nmaxmemory:0\r\n";
        if (name === "info") socket.write(`$${info.length}\r\n${info}\r\n`);
        else socket.write(/^eval|^script/.test(name) ? `-ERR ${EVIL}\r\n` : "+OK\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `redis://127.0.0.1:${port}`, close: () => server.close() };
}

test("what a Redis answers reaches the terminal without control characters", async () => {
  writeFile("line.csv", "x,y\n1,2\n2,4.1\n3,5.9\n4,8.2\n5,9.7\n6,12\n7,14.2\n8,16\n");
  const redis = await startRedis();
  const child = startNdvm([
    ...["search", "--data", "line.csv", "--target", "y", "--candidates", "20", "--budget", "4s"],
    ...["--out", "s.db", "--cluster", redis.url],
  ]);
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const { code, stdout, stderr } = await child.outcome;
  clearTimeout(timer);
  redis.close();
  expect(code).toBe(1);
  expect(stderr).toContain("EVIL");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
}, 30_000);
