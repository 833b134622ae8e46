import { createHash } from "node:crypto";

import { z } from "zod";

import type { RunRequest } from "@antler/delivery";

/** Headers of routes that create a run. Whoever repeats a request with its key gets the run of the first one. */
export const CreateRunHeaders = z.looseObject({
  "idempotency-key": z.string().trim().min(1).max(255).optional(),
});

export interface KeyedRequest {
  readonly key: string | undefined;
  readonly tenantId: string;
  readonly threadId: string | undefined;
  readonly body: unknown;
}

/** A key counts within its thread, or among the runs that name none; equal bodies are equal whatever the order of their fields is. */
export function idempotencyOf(request: KeyedRequest): Pick<RunRequest, "idempotency" | "request_sha256"> {
  const { key, tenantId, threadId, body } = request;
  if (key === undefined) return {};
  return { idempotency: sha256([tenantId, threadId ?? null, key]), request_sha256: sha256(body) };
}

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex");
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
