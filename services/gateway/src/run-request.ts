import {
  AntlerError,
  type Config,
  type CreateRunBody,
  type Identity,
  LEAD_ASSISTANT_ID,
  type RunContext,
  type StreamMode,
} from "@antler/contracts";
import type { RunRequest } from "@antler/delivery";

import { DEFAULT_STREAM_MODES } from "./stream/stream-view.ts";

/** Where a run goes and by which trace. */
export type RunPlace = Pick<RunRequest, "_id" | "tenant_id" | "thread_id" | "trace">;

/**
 * The run that a body asks for, with every default written out.
 * @throws AntlerError `assistant_not_found` or `model_unknown`.
 */
export function runRequestOf(body: CreateRunBody, place: RunPlace, models: Config["models"]): RunRequest {
  const context = body.context ?? {};
  expectAssistant(body.assistant_id);
  expectModel(context.model_name, models);
  return {
    ...place,
    assistant_id: LEAD_ASSISTANT_ID,
    identity: identityOf(place.tenant_id, context),
    input: body.input ?? null,
    command: body.command ?? null,
    context,
    config: body.config ?? {},
    metadata: body.metadata ?? {},
    stream_modes: streamModesOf(body.stream_mode),
    stream_subgraphs: body.stream_subgraphs ?? false,
    on_disconnect: body.on_disconnect ?? "continue",
    lane: body.lane ?? "interactive",
  };
}

export function streamModesOf(given: StreamMode | readonly StreamMode[] | undefined): readonly StreamMode[] {
  if (given === undefined) return DEFAULT_STREAM_MODES;
  return typeof given === "string" ? [given] : [...new Set(given)];
}

export function expectAssistant(assistantId: string): void {
  if (assistantId === LEAD_ASSISTANT_ID) return;
  throw new AntlerError("assistant_not_found", `No assistant has the id ${assistantId}; use ${LEAD_ASSISTANT_ID}`);
}

function expectModel(name: string | undefined, models: Config["models"]): void {
  if (name === undefined || models.some((model) => model.name === name)) return;
  const names = models.map((model) => model.name);
  const known = names.length === 0 ? "no model is configured" : `configured are ${names.join(", ")}`;
  throw new AntlerError("model_unknown", `context.model_name ${name} is not known: ${known}`, {
    details: { models: names },
  });
}

/** There is no authentication: the caller is who it says it is. */
function identityOf(tenantId: string, context: RunContext): Identity {
  return {
    tenant_id: tenantId,
    user_id: context.user_id ?? null,
    user_role: context.user_role ?? null,
    is_internal: false,
    channel_user_id: context.channel_user_id ?? null,
    oauth_provider: null,
    oauth_id: null,
    authz_attributes: {},
  };
}
