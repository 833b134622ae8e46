import { z } from "zod";

/** W3C trace context as it travels in NATS headers and ledger rows. */
export const TraceContext = z.object({
  traceparent: z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
  tracestate: z.string().max(512).optional(),
  baggage: z.string().max(8192).optional(),
});
export type TraceContext = z.infer<typeof TraceContext>;

/** The 32 hexadecimal digits of the trace. */
export function traceIdOf(context: TraceContext): string {
  return context.traceparent.slice(3, 35);
}
