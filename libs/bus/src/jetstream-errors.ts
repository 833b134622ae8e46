import { JetStreamApiError } from "@nats-io/jetstream";
import { NoRespondersError } from "@nats-io/nats-core";

import { AntlerError, isAntlerError, messageOf } from "@antler/contracts";

const STREAM_NOT_FOUND = 10059;
const CONSUMER_NOT_FOUND = 10014;
const SUBJECTS_OVERLAP = 10065;
const STREAM_NAME_IN_USE = 10058;
const STREAM_NOT_MATCH = 10060;
const CONFLICTS: readonly number[] = [SUBJECTS_OVERLAP, STREAM_NAME_IN_USE, STREAM_NOT_MATCH];

function isNotFound(error: unknown): boolean {
  const code = codeOf(error);
  return code === STREAM_NOT_FOUND || code === CONSUMER_NOT_FOUND;
}

/** Nobody listens on the subject: the stream is gone, or JetStream is not up. */
export function isNoResponders(error: unknown): boolean {
  if (error instanceof NoRespondersError) return true;
  return error instanceof Error && isNoResponders(error.cause);
}

/** `undefined` when the stream or consumer asked for does not exist. */
export async function orUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Maps an error of the client: `topology_conflict` where settings clash, else `bus_unavailable`. */
export function busError(action: string, cause: unknown, details: Readonly<Record<string, unknown>> = {}): AntlerError {
  if (isAntlerError(cause) && cause.code !== "deadline_exceeded") return cause;
  const code = CONFLICTS.includes(codeOf(cause) ?? 0) ? "topology_conflict" : "bus_unavailable";
  return new AntlerError(code, `${action}: ${messageOf(cause)}`, { cause, details });
}

function codeOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}
