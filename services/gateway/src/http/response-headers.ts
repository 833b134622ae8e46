import type { FastifyReply } from "fastify";

/** The headers set so far, for a response that is written by hand. */
export function responseHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
