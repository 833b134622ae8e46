import type { Long } from "bson";

import { ServerError } from "../server-error.ts";
import type { RetryOperation } from "../storage/operation.ts";
import type { Document } from "../values/document.ts";

/** The last retryable write of each session with its reply. */
export interface RetryTable {
  /** The reply to give again when this write was applied before. Throws TransactionTooOld (225) on an older number. */
  find(session: string, transaction: Long): Document | undefined;
  remember(session: string, transaction: Long, reply: Document): RetryOperation;
  restore(operation: RetryOperation): void;
  operations(): RetryOperation[];
}

const MAX_SESSIONS = 2000;

/** Creates an empty table; it keeps the sessions that wrote last. */
export function createRetryTable(): RetryTable {
  const sessions = new Map<string, RetryOperation>();

  const restore = (operation: RetryOperation): void => {
    sessions.delete(operation.session);
    sessions.set(operation.session, operation);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  };

  return {
    find(session, transaction) {
      const last = sessions.get(session);
      if (last === undefined || BigInt(last.transaction) < transaction.toBigInt()) return undefined;
      if (last.transaction === transaction.toString()) return last.reply;
      throw new ServerError("TransactionTooOld", "Retryable write with this txnNumber is too old for its session");
    },
    remember(session, transaction, reply) {
      const operation = { op: "retry", session, transaction: transaction.toString(), reply } as const;
      restore(operation);
      return operation;
    },
    restore,
    operations: () => [...sessions.values()],
  };
}
