import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { toldMessages } from "../support/messages.ts";

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

function send(response: ServerResponse, id: string, part: object): void {
  const chunk = { id, object: "chat.completion.chunk", created: 1, model: "main-1", choices: [], ...part };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

const delta = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }],
});

/** A provider whose first answer is `broken`, and whose further ones are `whole`. */
async function startBreakingServer(
  broken: (response: ServerResponse) => void,
  whole: (response: ServerResponse) => void,
) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    (requests === 1 ? broken : whole)(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests: () => requests, [Symbol.dispose]: () => server.close() };
}

function end(response: ServerResponse): void {
  send(response, "whole", { usage: USAGE });
  response.end("data: [DONE]\n\n");
}

describe("an answer whose connection breaks", () => {
  it("is asked for again, and only the whole one counts", async () => {
    using server = await startBreakingServer(
      (response) => {
        send(response, "half", delta("Half of"));
        setImmediate(() => response.destroy());
      },
      (response) => {
        send(response, "whole", delta("Half of"));
        send(response, "whole", delta(" an answer", "stop"));
        end(response);
      },
    );
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

describe("an answer that ends without saying so, in the middle of a tool call", () => {
  const call = (index: number, id: string, args: string) => ({
    index,
    id,
    type: "function",
    function: { name: "task", arguments: args },
  });
  const calling = (calls: object[], finish: string | null) => ({
    choices: [{ index: 0, delta: { role: "assistant", content: null, tool_calls: calls }, finish_reason: finish }],
  });
  const args = (part: string) => JSON.stringify({ description: part, prompt: `do ${part}`, subagent_type: "bash" });

  it.each([
    ["the name alone", [call(0, "a", "")]],
    ["half of its arguments", [call(0, "a", '{"prompt":"do X and th')]],
    ["one whole call and half of another", [call(0, "a", args("A")), call(1, "b", '{"prompt":"do B')]],
  ])("FC-A33 delegates nothing of %s, and each call once of the answer that is whole", async (_name, broken) => {
    let answers = 0;
    using server = await startBreakingServer(
      (response) => {
        send(response, "broken", calling(broken, null));
        response.end("data: [DONE]\n\n");
      },
      (response) => {
        answers += 1;
        if (answers === 1)
          send(response, "whole", calling([call(0, "a", args("A")), call(1, "b", args("B"))], "tool_calls"));
        else send(response, "last", delta("Both are done.", "stop"));
        end(response);
      },
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    const run = aRun({ stream_modes: ["messages-tuple"] });
    expect(await startLead({ config, ...opened, delegate, run }).outcome).toMatchObject({ status: "success" });
    expect(requests.map(({ envelope }) => [envelope.tool_call_id, envelope.prompt])).toEqual([
      ["a", "do A"],
      ["b", "do B"],
    ]);
    expect(server.requests()).toBe(3);
  });
});
