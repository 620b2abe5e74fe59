/**
 * No key and no password in an archive, a page or a stream, whatever an endpoint sends back. The
 * endpoint knows what it was sent, and puts it everywhere.
 */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const KEY = "sk-Very/Secret+Key=42";
const PASSWORD = "pass?wörd/7";

const LINE = `x,y\n${Array.from({ length: 30 }, (_, i) => `${i},${3 * i + 1}`).join("\n")}`;
const LINE_WORDS = ["--data", "line.csv", "--target", "y", "--workers", "0"];

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
  writeFile("line.csv", LINE);
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
  expect(text).toContain("[secret]");
  const basic = Buffer.from(`me:${PASSWORD}`).toString("base64");
  for (const shape of [...shapes(PASSWORD), ...shapes(KEY), basic, login]) {
    expect(text).not.toContain(shape);
  }
});

test("a key that only the reader of programs sees was in tables, JSON, archive and report", async () => {
  const key = "sk-VerySecretKey0123456789abcd";
  vi.stubEnv("NDVM_LLM_API_KEY", key);
  const names = [key.replace("V", "\\x56;"), key.replace("V", "V\\\n     ")];
  const sources = [...names.map((name) => `(+ a (* |${name}| x))`), "(* a x)"];
  const server = createServer((request, response) => {
    const message = { content: JSON.stringify(sources) };
    const answer = JSON.stringify({ choices: [{ message }] });
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFile("line.csv", LINE);
  try {
    const model = ["--proposer", "llm", "--base-url", `http://${host}/v1`, "--model", "m"];
    const files = ["--out", "names.db", "--report", "names.html", "--candidates", "6", "--json"];
    const runs = [
      await ndvmHere(["search", ...LINE_WORDS, ...model, ...files]),
      await ndvmHere(["archive", "ls", "names.db", "--all"]),
      await ndvmHere(["archive", "export", "names.db"]),
      await ndvmHere(["archive", "show", "names.db"]),
    ];
    const left = readdirSync(folder).filter((file) => file.startsWith("names."));
    const kept = left.map((file) => readFileSync(join(folder, file), "latin1"));
    const text = [...runs.map(({ stdout, stderr }) => stdout + stderr), ...kept].join("\n");
    expect(text).toContain("E-LLM-SECRET");
    expect(text).toContain("(* a x)");
    for (const piece of [key, key.slice(4), ...names]) expect(text).not.toContain(piece);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const HOST = "127.0.0.1:9/v1";
const SECRET = "SecretPw99";

test.each([
  `ftp://me:${SECRET}@${HOST}`,
  `http://me:hunter2 ${SECRET}@${HOST}`,
  `http://me:hunter2\t${SECRET}@${HOST}`,
  `http://me:hunter2'${SECRET}@${HOST}`,
  `http://me:1234/${SECRET}@${HOST}`,
  `http://hunter2/${SECRET}@${HOST}`,
  `http://me:${"z".repeat(400)}/${SECRET}@${HOST}`,
  `http://${HOST}?code=${SECRET}`,
  `http://${HOST}#token=${SECRET}`,
  `http:me:${SECRET}@${HOST}`,
  `http:/me:${SECRET}@${HOST}`,
  `http:\\\\me:${SECRET}@${HOST}`,
  `me:${SECRET}@${HOST}`,
  `//me:${SECRET}@${HOST}`,
])("an address is kept and told without what is secret, asked or not: %j", async (address) => {
  writeFile("line.csv", LINE);
  for (const proposer of ["evolve", "llm"])
    for (const words of [["--base-url", address], [`--base-url=${address}`]]) {
      const files = ["--out", "address.db", "--report", "address.html", "--candidates", "10"];
      const model = ["--proposer", proposer, ...words, "--model", "m", "--budget", "0.3s"];
      const run = await ndvmHere(["search", ...LINE_WORDS, ...model, ...files]);
      const left = readdirSync(folder).filter((file) => file.startsWith("address."));
      const kept = left.map((file) => readFileSync(join(folder, file), "latin1"));
      for (const text of [run.stdout, run.stderr, ...kept]) expect(text).not.toContain(SECRET);
      if (proposer === "evolve") expect(kept.join("")).not.toContain("base-url");
      for (const file of left) rmSync(join(folder, file));
    }
});

test("an address in the wrong place is repeated without its password", async () => {
  for (const words of [[`http://me:${SECRET}@h`], [`--redis=redis://:${SECRET}@h`]]) {
    const { stderr, code } = await ndvmHere(["search", ...words]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(SECRET);
  }
});

test("a help's example of an address keeps its place for a password", async () => {
  const { reportError } = await import("../src/terminal.js");
  const { NdvmError } = await import("@ndvm/core/machine");
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const help = "give the right password in the address: redis://:password@host:6379";
  reportError(new NdvmError("E-CLUSTER", "the Redis at redis://:pw@h refuses", { help }));
  const text = write.mock.calls.map(([words]) => String(words)).join("");
  write.mockRestore();
  expect(text).toContain(help);
  expect(text).toContain("redis://[secret]@h refuses");
});

describe("results with names that look like addresses with passwords keep their meaning:", () => {
  const odd = ["|km://h|", "|a@b|", "|k&pass=1|", "|k&pass=2|", "|;http://h|"];
  const names = odd.map((name) => name.slice(1, -1));

  test("parameters of a fit, which were lost or had one name", async () => {
    writeFile("line.csv", LINE);
    const source = `(+ (* ${odd[0]} x) ${odd.slice(1).join(" ")})`;
    const words = ["-e", source, "--data", "line.csv", "--target", "y", "--json", "--quiet"];
    const { stdout } = await ndvmHere(["fit", ...words, "--restarts", "1"]);
    const { parameters, best } = JSON.parse(stdout);
    expect(parameters).toEqual(names);
    expect(Object.keys(best.params)).toEqual(names);
  });

  test("columns of CSV, which lost their titles", async () => {
    const inputs = names.filter((name) => !name.includes("="));
    const set = inputs.flatMap((name) => ["--set", `${name}=1,2`]);
    const source = `(+ ${inputs.map((name) => `|${name}|`).join(" ")})`;
    const { stdout } = await ndvmHere(["eval", "-e", source, ...set, "--format", "csv"]);
    const [head] = stdout.split("\n");
    for (const name of inputs) expect(head).toContain(name);
  });

  test("programs of a search, whose lines were no JSON any more", async () => {
    writeFile("line.csv", LINE);
    const sources = odd.map((name) => `(* ${name} x)`);
    writeFile("odd.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
    const files = ["--out", "odd.db", "--proposer", "replay:odd.jsonl", "--candidates", "5"];
    const { stdout } = await ndvmHere(["search", ...LINE_WORDS, ...files, "--json"]);
    const lines = [stdout, (await ndvmHere(["archive", "export", "odd.db"])).stdout];
    lines.push((await ndvmHere(["archive", "ls", "odd.db", "--json"])).stdout);
    const text = lines.flatMap((one) => one.trimEnd().split("\n"));
    const found = JSON.stringify(text.map((line) => JSON.parse(line) as unknown));
    for (const source of sources) expect(found).toContain(source);
  });
});
