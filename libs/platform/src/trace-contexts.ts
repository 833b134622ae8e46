import { randomBytes } from "node:crypto";

import { TraceContext, traceIdOf } from "@antler/contracts";

const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
const SAMPLED = "01";

/** A context of a new trace; with a valid incoming context, a new span of the caller's trace. */
export function newTraceContext(incoming?: unknown): TraceContext {
  const parent = TraceContext.safeParse(incoming).data;
  if (parent !== undefined && isUsable(parent)) return childTraceContext(parent);
  return { traceparent: `00-${randomHex(16)}-${randomHex(8)}-${SAMPLED}` };
}

/** A new span of the parent's trace; flags, tracestate and baggage are the parent's. */
export function childTraceContext(parent: TraceContext): TraceContext {
  const flags = parent.traceparent.slice(-2);
  return { ...parent, traceparent: `00-${traceIdOf(parent)}-${randomHex(8)}-${flags}` };
}

function isUsable({ traceparent }: TraceContext): boolean {
  const [, trace, span] = traceparent.split("-");
  return trace !== NO_TRACE && span !== NO_SPAN;
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
