import Fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";

import { AntlerError } from "@antler/contracts";

import type { GatewayDeps } from "./gateway-deps.ts";
import { logRequests } from "./http/access-log.ts";
import { handleErrors } from "./http/error-handler.ts";
import type { GatewayApp } from "./http/gateway-app.ts";
import { readJsonBodies } from "./http/json-body.ts";
import { describeRoutes } from "./http/openapi.ts";
import { traceRequests } from "./http/request-trace.ts";
import { refuseUnstorable } from "./http/storable-body.ts";
import { assistantRoutes } from "./routes/assistant-routes.ts";
import { deadLetterRoutes } from "./routes/dead-letter-routes.ts";
import { fileRoutes } from "./routes/file-routes.ts";
import { runRecordRoutes } from "./routes/run-record-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { runStreamRoutes } from "./routes/run-stream-routes.ts";
import { runWaitRoutes } from "./routes/run-wait-routes.ts";
import { systemRoutes } from "./routes/system-routes.ts";
import { threadRoutes } from "./routes/thread-routes.ts";
import { threadStateRoutes } from "./routes/thread-state-routes.ts";
import { workspaceRoutes } from "./routes/workspace-routes.ts";
import { createOpenResponses, type OpenResponses } from "./stream/open-responses.ts";
import { VERSION } from "./version.ts";

/** Longest time in which a request may arrive whole; uploads of a workspace set the measure. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;

/** The HTTP server, wired and not yet listening. Closing it ends open streams first, so that it never hangs. */
export async function buildApp(deps: GatewayDeps, open: OpenResponses = createOpenResponses()): Promise<GatewayApp> {
  const { config, logger } = deps;
  const errors = { logger, maxBodyBytes: config.http.max_body_bytes };
  const app = Fastify({
    logger: false,
    bodyLimit: config.http.max_body_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    return503OnClosing: false,
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);

  traceRequests(app, { trustIncoming: config.telemetry.trust_incoming });
  refuseWhenClosing(app, open);
  logRequests(app, logger);
  handleErrors(app, errors);
  readJsonBodies(app);
  refuseUnstorable(app);
  app.addHook("preClose", async () => open.close());

  await describeRoutes(app, { version: VERSION });
  systemRoutes(app, { ...deps, open, version: VERSION });
  assistantRoutes(app, { startedAt: new Date() });
  threadRoutes(app, deps);
  threadStateRoutes(app, deps);
  runRoutes(app, { ...deps, open });
  runStreamRoutes(app, { ...deps, open });
  runWaitRoutes(app, { ...deps, open });
  runRecordRoutes(app, deps);
  deadLetterRoutes(app, deps);
  workspaceRoutes(app, { ...deps, open });
  fileRoutes(app, deps);
  return app;
}

/**
 * A gateway that is about to close answers and ends the connection, so that the client takes another one for its next
 * request. Requests that come when it closes get an answer that lets the client repeat them elsewhere.
 */
function refuseWhenClosing(app: GatewayApp, open: OpenResponses): void {
  app.addHook("onRequest", async () => {
    if (open.closing.aborted) throw new AntlerError("shutting_down", "The gateway is shutting down");
  });
  app.addHook("onSend", async (_request, reply) => {
    if (open.isLeaving) reply.header("connection", "close");
  });
}
