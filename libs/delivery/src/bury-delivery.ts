import { createHash } from "node:crypto";

import type { Delivery } from "@antler/bus";
import { headOf } from "@antler/contracts";
import type { DeadLetterDraft } from "@antler/store";

export interface DeadLetterSink {
  /** The tenant of a run or task; null when there is none. */
  tenantOf(rowId: string): Promise<string | null>;
  /** Stores the dead letter; the ticket is acknowledged only afterwards. Repeatable under its id. */
  record(letter: DeadLetterDraft): Promise<void>;
  /** Settles the row that the message belonged to, if there is one. */
  settleRow(rowId: string, reason: string): Promise<void>;
}

const PAYLOAD_MAX_CHARS = 64 * 1024;

/**
 * Puts a message aside that can never be worked on: record first, then settle its row, then acknowledge. A message that
 * comes again because a step failed is the same letter.
 */
export async function buryDelivery(message: Delivery, reason: string, sink: DeadLetterSink): Promise<void> {
  const rowId = rowIdOf(message.text);
  await sink.record({
    _id: letterIdOf(message),
    tenant_id: rowId === null ? null : await sink.tenantOf(rowId),
    stream: message.stream,
    subject: message.subject,
    reason,
    payload: headOf(message.text, PAYLOAD_MAX_CHARS),
    headers: message.headers,
    row_id: rowId,
  });
  if (rowId !== null) await sink.settleRow(rowId, reason);
  await message.ack();
}

/** By contents as well as by place: a stream that was made anew counts from 1 again. */
function letterIdOf({ stream, streamSeq, subject, headers, text }: Delivery): string {
  const what = JSON.stringify([stream, streamSeq, subject, headers["Nats-Msg-Id"] ?? null, text]);
  return createHash("sha256").update(what).digest("hex").slice(0, 32);
}

function rowIdOf(text: string): string | null {
  const match = /"id"\s*:\s*"([A-Za-z0-9-]{1,64})"/.exec(text);
  return match?.[1] ?? null;
}
