import type { FastifyReply } from "fastify";

/**
 * The headers set so far, for a long response that is written by hand. Its connection is not kept: the gateway may be
 * closing when it ends, and would wait for it.
 */
export function longResponseHeaders(reply: FastifyReply): Record<string, string> {
  const given = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  return { ...(Object.fromEntries(given) as Record<string, string>), connection: "close" };
}
