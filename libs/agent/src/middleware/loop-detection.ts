import { type AgentMiddleware, createMiddleware } from "langchain";

import type { LoopDetectionConfig } from "@antler/contracts";

import type { GuardReason } from "../guards/guard-reason.ts";
import { createToolLoop } from "../guards/tool-loop.ts";
import { stopAnswer } from "../messages/stop-answer.ts";
import type { PendingNotices } from "./pending-notices.ts";

export interface LoopDetectionOptions {
  readonly limits: LoopDetectionConfig;
  readonly notices: PendingNotices;
  readonly reason: GuardReason;
}

/** Warns an agent that repeats its tool calls, and makes it answer with what it has when it goes on. */
export function createLoopDetection({ limits, notices, reason }: LoopDetectionOptions): AgentMiddleware {
  const loop = createToolLoop(limits);
  return createMiddleware({
    name: "LoopDetection",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      const verdict = loop.observe(message.tool_calls ?? []);
      if (verdict.kind === "warn") notices.add("loop_warning", warning(verdict.what, verdict.times));
      if (verdict.kind !== "stop") return message;
      reason.note("loop_capped");
      return stopAnswer(message, `[FORCED STOP] ${verdict.what} came ${verdict.times} times. The work was ended here.`);
    },
  });
}

function warning(what: string, times: number): string {
  return (
    `[LOOP DETECTED] You used ${what} ${times} times. Repeating it gives nothing new: ` +
    "change your approach, or answer with what you have."
  );
}
