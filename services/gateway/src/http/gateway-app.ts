import type { IncomingMessage, Server, ServerResponse } from "node:http";

import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";

import type { TraceContext } from "@antler/contracts";

/** The server with schemas of zod. */
export type GatewayApp = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;

declare module "fastify" {
  interface FastifyRequest {
    /** Trace of this request: it goes into the run, into problem documents and into the header `x-trace-id`. */
    trace: TraceContext;
  }
  interface FastifyContextConfig {
    /** The content type that the route reads, when it is not JSON. */
    accepts?: string;
  }
}
