import { z } from "zod";

import { STREAMS } from "@antler/contracts";
import { processMetrics } from "@antler/platform";

import { deadLetterMetric } from "../dead-letter-metric.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import type { OpenResponses } from "../stream/open-responses.ts";

const Ok = z.object({ ok: z.boolean() });
const ReadinessView = z.object({ ready: z.boolean(), reasons: z.array(z.string()) });

export interface SystemDeps extends Pick<GatewayDeps, "readiness" | "config" | "deadLetters" | "logger"> {
  readonly open: OpenResponses;
  readonly version: string;
}

/** What operators and load balancers ask. */
export function systemRoutes(app: GatewayApp, deps: SystemDeps): void {
  const tags = ["system"];
  const metrics = countAnswers(app, deps.open);

  for (const path of ["/ok", "/livez"]) {
    app.get(path, { schema: { response: { 200: Ok }, tags } }, async () => ({ ok: true }));
  }

  app.get(
    "/readyz",
    { schema: { response: { 200: ReadinessView, 503: ReadinessView }, tags } },
    async (_request, reply) => {
      const { ready, reasons } = deps.readiness();
      return reply.code(ready ? 200 : 503).send({ ready, reasons: [...reasons] });
    },
  );

  app.get("/info", { schema: { tags } }, async () => ({
    name: "antler",
    version: deps.version,
    models: deps.config.models.map(({ name }) => name),
    streams: STREAMS.map(({ name }) => name),
    flags: { assistants: true, crons: false, batches: false },
  }));

  app.get("/metrics", { schema: { tags } }, async (_request, reply) =>
    reply
      .type("text/plain; version=0.0.4; charset=utf-8")
      .send(`${processMetrics()}${metrics()}${await deadLetterMetric(deps)}`),
  );
}

function countAnswers(app: GatewayApp, open: OpenResponses): () => string {
  const answers = new Map<number, number>();
  app.addHook("onResponse", async (_request, { raw }) => {
    answers.set(raw.statusCode, (answers.get(raw.statusCode) ?? 0) + 1);
  });
  return () =>
    [
      "# HELP antler_http_responses_total Responses by status",
      "# TYPE antler_http_responses_total counter",
      ...[...answers].map(([status, count]) => `antler_http_responses_total{status="${status}"} ${count}`),
      "# HELP antler_http_open_responses Streams and waits that are open",
      "# TYPE antler_http_open_responses gauge",
      `antler_http_open_responses ${open.count}`,
      "",
    ].join("\n");
}
