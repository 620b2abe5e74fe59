/**
 * The content security policy of docs/security.md, in Chromium: with it the machine and its pool run on a page
 * that allows nothing else, and without 'wasm-unsafe-eval' they do not.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(new URL("../../../docs/security.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "ndvm-policy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The policy as the page writes it, and nothing but that: its wasm file and its worker are fetched from 'self'. */
const stated = /Content-Security-Policy: (.+)/.exec(page)?.[1] as string;
const strict = `default-src 'none'; connect-src 'self'; ${stated}`;

const SCRIPT = `
  import { Machine } from "/dist/bundle/index.js";
  const tell = (text) => fetch("/told", { method: "POST", body: text });
  try {
    const machine = await Machine.create();
    const program = machine.load("(* x x)");
    const { gradients } = program.gradient({ x: [3] });
    const pool = await machine.pool({ workers: 1 });
    const { values } = await pool.evaluate(program, { x: [4] });
    await tell(\`\${gradients.x[0]} \${values[0]}\`);
  } catch (error) {
    await tell(error.code ?? error.name);
  }`;

const TYPES: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript"],
  [".wasm", "application/wasm"],
]);

/** What the script tells on a page with this policy. */
async function told(policy: string): Promise<string> {
  let hear = (_: string): void => {};
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    const head = { "content-security-policy": policy };
    if (path === "/told") {
      let text = "";
      request.on("data", (piece) => {
        text += piece;
      });
      request.on("end", () => hear(text));
      response.end();
    } else if (path === "/") {
      response.writeHead(200, { ...head, "content-type": "text/html" });
      response.end('<!doctype html><script type="module" src="/page.js"></script>');
    } else {
      const type = TYPES.get(extname(path));
      try {
        const body = path === "/page.js" ? SCRIPT : readFileSync(join(root, path));
        response.writeHead(200, { ...head, "content-type": type ?? "application/octet-stream" });
        response.end(body);
      } catch {
        response.writeHead(404);
        response.end();
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const browser = spawn(CHROMIUM, [
    ...["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}`],
    ...["--no-first-run", "--disable-background-networking", `http://127.0.0.1:${port}/`],
  ]);
  try {
    return await heard;
  } finally {
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    browser.kill();
    await ended;
    server.closeAllConnections();
    server.close();
  }
}

test("the policy of the page is all that the machine and its pool need", async () => {
  expect(stated).toContain("'wasm-unsafe-eval'");
  expect(await told(strict)).toBe("6 16");
});

test("a policy without 'wasm-unsafe-eval' keeps the machine from being compiled", async () => {
  expect(await told(strict.replace(" 'wasm-unsafe-eval'", ""))).not.toBe("6 16");
});
