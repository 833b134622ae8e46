import { AntlerError } from "@antler/contracts";

/**
 * The number of the last event that a client has. The header goes before the query; -1 and nothing mean none.
 * @throws AntlerError `invalid_request` for an id that no stream of ours has sent.
 */
export function resumePoint(lastEventId: string | undefined, since: number | undefined): number {
  if (lastEventId === undefined || lastEventId === "") return since ?? 0;
  if (lastEventId === "-1") return 0;
  const seq = Number(lastEventId);
  if (/^\d+$/.test(lastEventId) && Number.isSafeInteger(seq)) return seq;
  const errors = [{ path: "headers.last-event-id", message: "must be the id of a frame of this stream" }];
  const message = `The request is not valid: ${errors[0]?.path ?? ""}: ${errors[0]?.message ?? ""}`;
  throw new AntlerError("invalid_request", message, { details: { errors } });
}
