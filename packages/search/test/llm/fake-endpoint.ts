/**
 * A fake OpenAI-compatible endpoint over real HTTP: it plays a script, one act for each request,
 * and remembers what it was asked.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Act =
  | { readonly say: string; readonly tokens?: readonly [number, number] | undefined }
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly drop: true }
  | { readonly stall: true };

export interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly response_format?: { readonly type: string };
  };
}

export interface FakeEndpoint {
  readonly baseURL: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

export const programs = (...sources: string[]): string =>
  JSON.stringify({ programs: sources.map((source) => ({ source, idea: "a try" })) });

/** The last act is played for all requests that follow. */
export async function fakeEndpoint(script: readonly Act[]): Promise<FakeEndpoint> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Asked["body"];
    asked.push({ path: request.url ?? "", key: request.headers.authorization, body });
    play(script[Math.min(asked.length, script.length) - 1], request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function play(act: Act | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (act === undefined) throw new Error("the script is empty");
  if ("stall" in act) return;
  if ("drop" in act) {
    request.socket.destroy();
    return;
  }
  if ("status" in act) {
    response.writeHead(act.status, { "content-type": "application/json", ...act.headers });
    response.end(JSON.stringify({ error: { message: `status ${act.status}` } }));
    return;
  }
  const [input, output] = act.tokens ?? [];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id: "answer",
      object: "chat.completion",
      created: 0,
      model: "fake",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: act.say } },
      ],
      ...(act.tokens === undefined
        ? {}
        : { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 0 } }),
    }),
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
