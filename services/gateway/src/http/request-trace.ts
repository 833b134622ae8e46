import type { FastifyRequest } from "fastify";

import { TraceContext, traceIdOf } from "@antler/contracts";
import { newTraceContext } from "@antler/platform";

import type { GatewayApp } from "./gateway-app.ts";

const TRACE_HEADER = "x-trace-id";

/** Opens a trace for every request: a new one, or the caller's when the configuration trusts it. */
export function traceRequests(app: GatewayApp, { trustIncoming }: { trustIncoming: boolean }): void {
  app.decorateRequest("trace");
  app.addHook("onRequest", async (request, reply) => {
    request.trace = newTraceContext(trustIncoming ? incomingTrace(request) : undefined);
    reply.header(TRACE_HEADER, traceIdOf(request.trace));
  });
}

function incomingTrace({ headers }: FastifyRequest): TraceContext | undefined {
  const { traceparent, tracestate, baggage } = headers;
  return TraceContext.safeParse({ traceparent, tracestate, baggage }).data;
}
