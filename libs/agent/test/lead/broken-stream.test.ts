import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";
import { toldMessages } from "../support/messages.ts";

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

function send(response: ServerResponse, id: string, part: object): void {
  const chunk = { id, object: "chat.completion.chunk", created: 1, model: "main-1", choices: [], ...part };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

const delta = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }],
});

/** A provider whose connection breaks in the middle of the first answer. */
async function startBreakingServer() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    const id = `answer-${requests}`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    send(response, id, delta("Half of"));
    if (requests === 1) return void setImmediate(() => response.destroy());
    send(response, id, delta(" an answer", "stop"));
    send(response, id, { usage: USAGE });
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests: () => requests, [Symbol.dispose]: () => server.close() };
}

describe("an answer whose connection breaks", () => {
  it("is asked for again, and only the whole one counts", async () => {
    using server = await startBreakingServer();
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, recorder } = startLead({ config, ...opened, run: aRun({ stream_modes: ["messages-tuple"] }) });

    expect(await outcome).toMatchObject({ status: "success", output: { last_message: "Half of an answer" } });
    expect(server.requests()).toBe(2);
    expect(toldMessages(recorder.events).map(({ content }) => content)).toEqual([
      "Survey the workspace",
      "Half of an answer",
    ]);
    expect(recorder.usage).toMatchObject([{ total_tokens: 5 }]);
  });
});
