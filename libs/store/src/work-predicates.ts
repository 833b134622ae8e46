import type { Document } from "mongodb";

/** Now by the store's clock. Processes never compare their own wall clock with a row's date. */
export const NOW = "$$NOW";

export const plusMs = (date: Document | string, ms: number | string): Document => ({ $add: [date, ms] });
const passed = (date: Document | string): Document => ({ $lte: [date, NOW] });
const whether = (...conditions: readonly Document[]): Document => ({ $expr: { $and: conditions } });

/** Values that come from outside: kept from being read as an expression. */
export const literal = (value: unknown): Document => ({ $literal: value });

const queueEnd: Document = plusMs("$due_at", "$queue_limit_ms");

/** The lease of a running row is over. */
export const leaseExpired: Document = { status: "running", ...whether(passed("$lease_until")) };

/** A pending row whose time has come and whose queue limit is not over. */
const duePending: Document = {
  status: "pending",
  ...whether({ $or: [{ $eq: ["$not_before", null] }, passed("$not_before")] }, { $not: [passed(queueEnd)] }),
};

/** Rows that a worker may claim: due or abandoned, not cancelled, with an attempt and time left. */
export const claimable: Document = {
  cancel: null,
  $or: [duePending, leaseExpired],
  ...whether({ $lt: ["$attempt", "$max_attempts"] }, { $not: [passed("$deadline_at")] }),
};

/** Rows that a worker gave up by dying and that have no attempt left. */
export const attemptsSpent: Document = {
  $or: [{ status: "pending" }, leaseExpired],
  ...whether({ $gte: ["$attempt", "$max_attempts"] }),
};

export const queueExpired: Document = { status: "pending", ...whether(passed(queueEnd)) };

/** Time that a worker has to store its own timeout before somebody else does. */
const TIMEOUT_GRACE_MS = 2000;

export const executionExpired: Document = {
  status: "running",
  ...whether(passed(plusMs("$execution_deadline_at", TIMEOUT_GRACE_MS))),
};

export const deadlinePassed: Document = {
  status: { $in: ["pending", "running", "checking"] },
  ...whether(passed(plusMs("$deadline_at", TIMEOUT_GRACE_MS))),
};

/** Cancelled before a worker began: nobody has to be asked. */
export const cancelledWaiting: Document = { cancel: { $ne: null }, status: { $in: ["held", "pending"] } };

/** Cancelled so long ago that its worker no longer counts. */
export function cancelOverdue(graceMs: number): Document {
  return {
    cancel: { $ne: null },
    status: { $in: ["running", "checking"] },
    ...whether(passed(plusMs("$cancel.at", graceMs))),
  };
}

/** Pending rows without a ticket, or whose waiting time after a fault is over. */
export function unticketed(olderThanMs: number): Document {
  return {
    status: "pending",
    cancel: null,
    $or: [
      { ticket: null, not_before: null, ...whether(passed(plusMs("$updated_at", olderThanMs))) },
      { not_before: { $ne: null }, ...whether(passed("$not_before")) },
    ],
  };
}

/** Pending rows whose ticket was published a while ago: it may have gone with its stream. */
export function ticketed(pool: string, lane: string, olderThanMs: number): Document {
  return {
    status: "pending",
    pool,
    lane,
    cancel: null,
    not_before: null,
    ticket: { $ne: null },
    ...whether(passed(plusMs("$ticket.at", olderThanMs))),
  };
}

/** Rows of a tenant that have not ended. */
export function inFlight(tenantId: string): Document {
  return { tenant_id: tenantId, status: { $in: ["held", "pending", "running", "checking"] } };
}

/** A range, which every server looks up in an index; it does not with "not null". */
const ANY_DATE: Document = { $gt: new Date(0) };

/** Rows that have owed something for a while. */
export function owing(olderThanMs: number): Document {
  return { owed_at: ANY_DATE, ...whether(passed(plusMs("$owed_at", olderThanMs))) };
}
