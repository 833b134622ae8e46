import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { addUsage, type TokenUsage, usageKey, type UsageRecord } from "@antler/contracts";

import { usageMetadataOf } from "../messages/rebuild-ai-message.ts";
import type { UsageSink } from "../ports.ts";

type Answer = AIMessage | AIMessageChunk;

export interface UsageRecorderOptions {
  readonly sink: UsageSink;
  /** Id of the run or task whose row is claimed. */
  readonly ownerId: string;
  readonly epoch: number;
  readonly runId: string;
  readonly taskId?: string;
  readonly caller: string;
  readonly modelName: string;
}

export interface UsageRecorder {
  readonly middleware: AgentMiddleware;
  /** Counts an answer that was asked for outside of the agent's own loop. */
  record(message: Answer): Promise<void>;
  /** All usage of this execution so far; null while no call has reported any. */
  total(): TokenUsage | null;
}

/** Records the tokens of each model call once, before the answer is used. A call without usage leaves no record. */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  let calls = 0;
  let total: TokenUsage | null = null;
  const record = async (message: Answer) => {
    calls += 1;
    const usage = usageOf(message);
    if (usage === null) return;
    total = addUsage(total, usage);
    await options.sink.record([recordOf(options, calls, { usage, message })]);
  };
  const middleware = createMiddleware({
    name: "UsageRecorder",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      await record(message);
      return message;
    },
  });
  return { middleware, record, total: () => (total === null ? null : { ...total }) };
}

function recordOf(
  options: UsageRecorderOptions,
  call: number,
  { usage, message }: { usage: TokenUsage; message: Answer },
): UsageRecord {
  const { model_name: named, model } = message.response_metadata as Record<string, unknown>;
  const reported = [named, model].find((name): name is string => typeof name === "string" && name !== "");
  return {
    ...usage,
    key: usageKey(options.ownerId, options.epoch, call),
    run_id: options.runId,
    ...(options.taskId !== undefined && { task_id: options.taskId }),
    caller: options.caller,
    model_name: reported ?? options.modelName,
    ...(message.id !== undefined && { response_id: message.id }),
  };
}

/** The usage of one answer; null when the provider gave none, only zeros, or no numbers. */
function usageOf(message: Answer): TokenUsage | null {
  const usage = usageMetadataOf(message);
  if (usage === undefined) return null;
  const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  const total = countOf(usage.total_tokens) || input + output;
  if (total === 0) return null;
  const cached = countOf(usage.input_token_details?.cache_read);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: total,
    ...(cached > 0 && { cache_read_tokens: cached }),
  };
}

/** What adapters pass on is not always a number. */
function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, value as number) : 0;
}
