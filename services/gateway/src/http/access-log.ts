import { traceIdOf } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import type { GatewayApp } from "./gateway-app.ts";

const QUIET = new Set(["/ok", "/livez", "/readyz", "/metrics"]);

/** One line for each request, without query, headers or body. */
export function logRequests(app: GatewayApp, logger: Logger): void {
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "(none)";
    const level = QUIET.has(route) ? "debug" : "info";
    const fields = {
      method: request.method,
      route,
      params: request.params,
      status: reply.raw.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
      trace_id: traceIdOf(request.trace),
    };
    logger[level](fields, "Request answered");
  });
}
