import { z } from "zod";

const Namespace = z.array(z.string()).default([]);

/** Data of `stream.*` events: what the graph streamed on that mode. */
export const GraphChunk = z.object({ namespace: Namespace, payload: z.unknown() });

/** Data of `llm.*` events: a finished message as a flat dictionary. */
export const LoggedMessage = z.object({
  namespace: Namespace,
  message: z.looseObject({ id: z.string().optional() }),
  metadata: z.record(z.string(), z.unknown()).default({}),
});
export type LoggedMessage = z.infer<typeof LoggedMessage>;

export const RunStartData = z.object({ attempt: z.int().min(1).default(1) });

/** Data of `run.end`. */
export const RunEndData = z.object({
  status: z.string(),
  stop_reason: z.string().nullable().default(null),
  error: z.object({ code: z.string(), message: z.string() }).nullable().default(null),
});
