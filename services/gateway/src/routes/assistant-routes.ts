import { z } from "zod";

import { LEAD_ASSISTANT_ID } from "@antler/contracts";

import type { GatewayApp } from "../http/gateway-app.ts";
import { preparedBody } from "../http/prepared-body.ts";
import { expectAssistant } from "../run-request.ts";

const Dictionary = z.record(z.string(), z.unknown());

const AssistantView = z
  .object({
    assistant_id: z.string(),
    graph_id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    version: z.int(),
    config: Dictionary,
    context: Dictionary,
    metadata: Dictionary,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Assistant" });
type AssistantView = z.infer<typeof AssistantView>;

const SearchBody = z.looseObject({
  graph_id: z.string().nullish(),
  name: z.string().nullish(),
  metadata: Dictionary.nullish(),
  limit: z.int().min(1).max(1000).default(10),
  offset: z.int().min(0).default(0),
});

/** Every deployment has one assistant, the lead. */
export function assistantRoutes(app: GatewayApp, { startedAt }: { startedAt: Date }): void {
  const lead = leadAssistant(startedAt);

  app.post(
    "/assistants/search",
    {
      schema: { body: SearchBody, response: { 200: z.array(AssistantView) }, tags: ["assistants"] },
      preValidation: preparedBody((body) => body ?? {}),
    },
    async ({ body }) => (isFound(lead, body) ? [lead] : []),
  );

  app.get(
    "/assistants/:assistant_id",
    {
      schema: {
        params: z.object({ assistant_id: z.string() }),
        response: { 200: AssistantView },
        tags: ["assistants"],
      },
    },
    async ({ params }) => {
      expectAssistant(params.assistant_id);
      return lead;
    },
  );
}

function leadAssistant(startedAt: Date): AssistantView {
  return {
    assistant_id: LEAD_ASSISTANT_ID,
    graph_id: LEAD_ASSISTANT_ID,
    name: LEAD_ASSISTANT_ID,
    description: "The lead agent, which delegates to subagents with its task tool",
    version: 1,
    config: {},
    context: {},
    metadata: { created_by: "system" },
    created_at: startedAt.toISOString(),
    updated_at: startedAt.toISOString(),
  };
}

function isFound(lead: AssistantView, { graph_id, name, metadata, offset }: z.infer<typeof SearchBody>): boolean {
  const wanted = Object.entries(metadata ?? {});
  return (
    offset === 0 &&
    (graph_id ?? lead.graph_id) === lead.graph_id &&
    lead.name.includes(name ?? "") &&
    wanted.every(([key, value]) => lead.metadata[key] === value)
  );
}
