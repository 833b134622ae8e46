import { setTimeout as sleep } from "node:timers/promises";

import { type ChatCompletionRequest, type FixtureResponse, type LLMock } from "@copilotkit/aimock";

import { asks, exchangesOf, hasTool, type Reply } from "./conversation.ts";
import { COUNTING_TASK, countingReply } from "./counting-subagent.ts";
import { ENTRY_POINTS_TASK, entryPointsReply } from "./entry-points-subagent.ts";
import { leadReply } from "./lead.ts";
import { STRUCTURE_TASK, structureReply } from "./structure-subagent.ts";

/** Registers the words of the demo's lead and of its three subagents; each answer takes `latencyMs` to begin. */
export function registerAnswers(mock: LLMock, { latencyMs }: { readonly latencyMs: number }): void {
  mock.addFixture({
    match: { predicate: () => true },
    response: async (request) => {
      await sleep(latencyMs);
      return responseOf(replyTo(request));
    },
    chunkSize: 200,
  });
}

/** A lead is known by its task tool, a subagent by the task it was given. */
function replyTo(request: ChatCompletionRequest): Reply {
  const exchanges = exchangesOf(request);
  if (hasTool(request, "task")) return leadReply(exchanges);
  if (asks(request, COUNTING_TASK)) return countingReply(exchanges);
  if (asks(request, STRUCTURE_TASK)) return structureReply(exchanges);
  if (asks(request, ENTRY_POINTS_TASK)) return entryPointsReply(exchanges);
  return { text: "This is a replayed answer: no model provider is configured." };
}

function responseOf({ text, calls = [] }: Reply): FixtureResponse {
  if (calls.length === 0) return { content: text };
  const toolCalls = calls.map(({ tool, args }) => ({ name: tool, arguments: JSON.stringify(args) }));
  return { content: text, toolCalls };
}
