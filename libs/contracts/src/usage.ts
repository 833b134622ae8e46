import { z } from "zod";

const count = z.int().min(0);

/** Token counts of one or more model calls. Absent usage is absent, never zero. */
export const TokenUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  cache_read_tokens: count.optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** One model call, counted once: the key is `<run or task>:<epoch>:<call number>`. */
export interface UsageRecord extends TokenUsage {
  readonly key: string;
  readonly run_id: string;
  readonly task_id?: string;
  /** `lead`, `subagent:<type>` or `middleware:<name>`. */
  readonly caller: string;
  readonly model_name: string | null;
  /** The provider's response id, where it gives one. */
  readonly response_id?: string;
}

export function usageKey(ownerId: string, epoch: number, callNumber: number): string {
  return `${ownerId}:${epoch}:${callNumber}`;
}

export function addUsage(total: TokenUsage | null, next: TokenUsage): TokenUsage {
  if (total === null) return pick(next);
  const cached = (total.cache_read_tokens ?? 0) + (next.cache_read_tokens ?? 0);
  return {
    input_tokens: total.input_tokens + next.input_tokens,
    output_tokens: total.output_tokens + next.output_tokens,
    total_tokens: total.total_tokens + next.total_tokens,
    ...(cached > 0 && { cache_read_tokens: cached }),
  };
}

function pick({ input_tokens, output_tokens, total_tokens, cache_read_tokens }: TokenUsage): TokenUsage {
  return { input_tokens, output_tokens, total_tokens, ...(cache_read_tokens !== undefined && { cache_read_tokens }) };
}
