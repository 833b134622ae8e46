import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a provider does to one model call instead of answering it. */
export type ProviderFault = "hang" | "drop_mid_stream" | "rate_limit" | "half_tool_call" | "server_error" | "garbage";

export interface ModelFront extends AsyncDisposable {
  readonly baseUrl: string;
  /** Makes the next calls of subagents go wrong, one fault after the other. */
  plan(...faults: readonly ProviderFault[]): void;
  /** When each call of a subagent came, in milliseconds of the monotonic clock. */
  readonly calledAtMs: readonly number[];
}

export const RETRY_AFTER_SECONDS = 2;

/** An HTTP server in front of the scripted model, which does to calls of subagents what providers do at times. */
export async function startModelFront(upstream: string): Promise<ModelFront> {
  const planned: ProviderFault[] = [];
  const calledAtMs: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await textOf(request);
    const isTask = !body.includes('"name":"task"');
    if (isTask) calledAtMs.push(performance.now());
    const fault = isTask ? planned.shift() : undefined;
    if (fault !== undefined) FAULTS[fault](response);
    else await forward(upstream, { request, body }, response);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    plan: (...faults) => void planned.push(...faults),
    calledAtMs,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const FAULTS: Readonly<Record<ProviderFault, (response: ServerResponse) => void>> = {
  hang: () => undefined,
  rate_limit(response) {
    response.writeHead(429, { "content-type": "application/json", "retry-after": String(RETRY_AFTER_SECONDS) });
    response.end(JSON.stringify({ error: { message: "Slow down", type: "rate_limit_error" } }));
  },
  server_error(response) {
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Something broke", type: "server_error" } }));
  },
  garbage(response) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"id":"cut","choices":[{"message":{"role":"assistant","content":"I was just about to');
  },
  drop_mid_stream(response) {
    startStream(response, { role: "assistant", content: "I was just about to" });
    setTimeout(() => response.destroy(), 50);
  },
  half_tool_call(response) {
    const call = {
      index: 0,
      id: "call_half",
      type: "function",
      function: { name: "ls", arguments: '{"path": "/mnt/us' },
    };
    startStream(response, { role: "assistant", tool_calls: [call] });
    setTimeout(() => response.destroy(), 50);
  },
};

function startStream(response: ServerResponse, delta: object): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = {
    id: "cut",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta }],
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  return text;
}

async function forward(
  upstream: string,
  { request, body }: { readonly request: IncomingMessage; readonly body: string },
  response: ServerResponse,
): Promise<void> {
  const url = `${upstream}${(request.url ?? "").replace(/^\/v1/, "")}`;
  const headers = { "content-type": "application/json", authorization: request.headers.authorization ?? "" };
  const answered = await fetch(url, { method: "POST", headers, body });
  response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "application/json" });
  for await (const piece of answered.body ?? []) response.write(piece);
  response.end();
}
