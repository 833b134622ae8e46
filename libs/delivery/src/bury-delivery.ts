import type { Delivery } from "@antler/bus";
import { headOf } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { DeadLetterRow } from "@antler/store";

export interface DeadLetterSink {
  /** Stores the dead letter; the ticket is acknowledged only afterwards. */
  record(letter: Omit<DeadLetterRow, "created_at">): Promise<void>;
  /** Settles the row that the message belonged to, if there is one. */
  settleRow(rowId: string, reason: string): Promise<void>;
}

const PAYLOAD_MAX_CHARS = 64 * 1024;

/** Puts a message aside that can never be worked on: record first, then settle its row, then acknowledge. */
export async function buryDelivery(message: Delivery, reason: string, sink: DeadLetterSink): Promise<void> {
  const rowId = rowIdOf(message.text);
  await sink.record({
    _id: newId(),
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

function rowIdOf(text: string): string | null {
  const match = /"id"\s*:\s*"([A-Za-z0-9-]{1,64})"/.exec(text);
  return match?.[1] ?? null;
}
