/**
 * No key and no password in an archive, a page or a stream, whatever an endpoint sends back. The
 * endpoint knows what it was sent, and puts it everywhere.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const KEY = "sk-Very/Secret+Key=42";
const PASSWORD = "pass?wörd/7";

/** What the endpoint makes of the header that it was sent. */
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => encodeURIComponent(secret),
  (secret) => Buffer.from(secret).toString("base64"),
  (secret) =>
    [...secret].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
];

function echo(request: IncomingMessage, response: ServerResponse, count: number): void {
  const header = request.headers.authorization ?? "";
  const [, token = ""] = header.split(" ");
  const plain = header.startsWith("Basic") ? Buffer.from(token, "base64").toString() : token;
  const spell = SPELLINGS[count % SPELLINGS.length] as (secret: string) => string;
  const said = `${spell(plain)} ${spell(header)} ${spell(plain.split(":").at(-1) as string)}`;
  const json = { "content-type": "application/json" };
  const answer = (content: string) =>
    response.writeHead(200, json).end(JSON.stringify({ choices: [{ message: { content } }] }));
  const acts = [
    () => answer(JSON.stringify([`(+ x "${said}")`, "(+ a (* b x))"])),
    () => response.writeHead(500, json).end(JSON.stringify({ error: { message: said } })),
    () => answer(`I'm sorry, I can't use ${said}.`),
    () => answer(JSON.stringify({ programs: [{ source: `(${said} x)` }] })),
    () => answer(`${"x".repeat(110)}${said}`),
    () => response.writeHead(429, { ...json, "retry-after": "0" }).end(`{"message": "${said}"}`),
    () => answer(JSON.stringify(["(* a x)", `; ${said}\n(* b x)`])),
    () => response.writeHead(307, { location: `http://${token.slice(0, 20)}.invalid/` }).end(),
    () => response.writeHead(200, { "content-type": `text/${encodeURIComponent(plain)}` }).end(),
    () => response.writeHead(401, json).end(JSON.stringify({ error: said })),
  ];
  (acts[count % acts.length] as () => void)();
}

afterEach(() => void vi.unstubAllEnvs());

/** Everything that the command left behind, and what it printed. */
async function traces(shift: number, address: (host: string) => string): Promise<string> {
  let count = shift;
  const server = createServer((request, response) => {
    request.resume().on("end", () => echo(request, response, count++));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFile(
    "line.csv",
    `x,y\n${Array.from({ length: 30 }, (_, i) => `${i},${3 * i + 1}`).join("\n")}`,
  );
  const name = `secret-${host.replace(/\D/g, "-")}`;
  try {
    const words = ["--proposer", "llm", "--base-url", address(host), "--model", "m"];
    const files = ["--out", `${name}.db`, "--report", `${name}.html`, "--workers", "0"];
    const data = ["--data", "line.csv", "--target", "y", "--describe", "a line"];
    const run = await ndvmHere(["search", ...data, ...words, ...files, "--candidates", "40"]);
    const list = await ndvmHere(["archive", "ls", `${name}.db`, "--all"]);
    const json = await ndvmHere(["archive", "export", `${name}.db`]);
    expect(run.stderr).toContain(`http://${host}/v1`);
    expect([list.code, json.code]).toEqual([0, 0]);
    const left = readdirSync(folder).filter((file) => file.startsWith(name));
    const files2 = left.map((file) => readFileSync(join(folder, file), "latin1"));
    const utf8 = left.map((file) => readFileSync(join(folder, file), "utf8"));
    const printed = [run, list, json].map(({ stdout, stderr }) => stdout + stderr);
    return [...files2, ...utf8, ...printed].join("\n");
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A secret's spellings, and enough of its end to count as told. */
const shapes = (secret: string): string[] => [
  ...SPELLINGS.map((spell) => spell(secret)),
  Buffer.from(secret).toString("latin1"),
  secret.slice(-7),
];

test.each([0, 1])("a key that is echoed stays secret (%i)", async (shift) => {
  vi.stubEnv("NDVM_LLM_API_KEY", KEY);
  const text = await traces(shift, (host) => `http://${host}/v1`);
  expect(text).toContain("[secret]");
  for (const shape of shapes(KEY)) expect(text).not.toContain(shape);
});

test.each([0, 1])("a password in the address stays secret (%i)", async (shift) => {
  vi.stubEnv("NDVM_LLM_API_KEY", "");
  vi.stubEnv("OPENAI_API_KEY", "");
  const login = `me:${encodeURIComponent(PASSWORD)}`;
  const text = await traces(shift, (host) => `http://${login}@${host}/v1?token=${KEY}`);
  expect(text).toContain("[secret]@127.0.0.1");
  const basic = Buffer.from(`me:${PASSWORD}`).toString("base64");
  for (const shape of [...shapes(PASSWORD), ...shapes(KEY), basic, login]) {
    expect(text).not.toContain(shape);
  }
});

test("an address that is none is told without its password", async () => {
  writeFile("line.csv", "x,y\n1,2\n2,3\n3,4\n");
  const words = ["--proposer", "llm", "--model", "m", "--base-url", `ftp://me:${KEY}@host/v1`];
  const { stderr } = await ndvmHere(["search", "--data", "line.csv", "--target", "y", ...words]);
  expect(stderr).toContain("ftp://[secret]@host/v1");
  expect(stderr).not.toContain(KEY);
});
