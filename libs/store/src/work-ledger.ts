import type { Collection, Document, Filter } from "mongodb";

import type { CancelMark, Claim, Duty, TicketRecord, WorkRow } from "./rows.ts";
import { storeCall } from "./store-call.ts";
import { claimable, literal, NOW, plusMs } from "./work-predicates.ts";

/** Names one claim of one row; every write of a worker carries it. */
export interface Fence {
  readonly id: string;
  readonly epoch: number;
  readonly claimId: string;
}

/** A terminal update: the new status with its payload, and what must follow it. */
export interface Settlement {
  readonly status: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly owed: readonly Duty[];
  /** Nothing is written when a cancel mark came first. */
  readonly unlessCancelled?: boolean;
}

/** How a row is handed back. */
export interface ReleaseOptions {
  /** Time before the row is due again. */
  readonly delayMs: number;
  /** Whether this execution counts as an attempt: not on drain or an infrastructure fault. */
  readonly charged: boolean;
}

export interface RowAt<Row> {
  readonly row: Row;
  /** The store's clock when the row was read. */
  readonly now: Date;
}

/** What runs and tasks have in common: the delivery state of a row. All predicates use the store's clock. */
export interface WorkLedger<Row extends WorkRow> {
  get(id: string): Promise<Row | undefined>;
  getAt(id: string): Promise<RowAt<Row> | undefined>;
  /** Takes a due or abandoned row: raises epoch and attempt and starts lease and execution clock. */
  claim(id: string, claim: Claim, leaseMs: number): Promise<Row | undefined>;
  /** Extends the lease and reads the cancel mark; undefined when the lease is lost. */
  renew(fence: Fence, leaseMs: number): Promise<{ readonly cancel: CancelMark | null } | undefined>;
  /** Gives a running row back; undefined when it is no longer held. Its ticket is then due to be published again. */
  release(fence: Fence, options: ReleaseOptions): Promise<Row | undefined>;
  /** Settles a row that this worker holds. Undefined when another one settled or took it. */
  settle(fence: Fence, settlement: Settlement): Promise<Row | undefined>;
  /** Settles a row that nobody has to hold, raising its epoch, if `condition` still holds. */
  force(id: string, condition: Document, settlement: Settlement): Promise<Row | undefined>;
  /** Makes the next publication of a waiting row, if `condition` still holds. An abandoned row becomes pending. */
  redispatch(id: string, condition: Document): Promise<Row | undefined>;
  recordTicket(id: string, dispatch: number, ticket: Omit<TicketRecord, "dispatch" | "at">): Promise<void>;
  /** Marks a row as cancelled unless it is terminal or marked already. */
  markCancelled(filter: Filter<Row>, action: CancelMark["action"], owed: readonly Duty[]): Promise<number>;
  /** Takes a duty off the list, once it is done. */
  discharge(id: string, duty: Duty): Promise<void>;
  find(condition: Document, limit: number): Promise<readonly Row[]>;
  /** Counts up to the limit. */
  count(condition: Document, limit: number): Promise<number>;
  countPending(pool: string, lane: string, limit: number): Promise<number>;
}

const after = { returnDocument: "after" } as const;

export function createWorkLedger<Row extends WorkRow>(
  collection: Collection<Row>,
  terminalStatuses: readonly string[],
): WorkLedger<Row> {
  const filter = (document: Document) => document as Filter<Row>;
  const live = { status: { $nin: terminalStatuses } };

  const update = async (condition: Document, stages: Document[]): Promise<Row | undefined> => {
    const row = await storeCall(() => collection.findOneAndUpdate(filter(condition), stages, after));
    return (row as Row | null) ?? undefined;
  };

  const ending = (settlement: Settlement) => endingIn(terminalStatuses, settlement);

  const fenced = ({ id, epoch, claimId }: Fence) => ({ _id: id, epoch, "claim.id": claimId, status: "running" });

  return {
    get: async (id) => ((await storeCall(() => collection.findOne(filter({ _id: id })))) as Row | null) ?? undefined,

    async getAt(id) {
      const stages = [{ $match: { _id: id } }, { $project: { row: "$$ROOT", now: NOW } }];
      const [found] = await storeCall(() => collection.aggregate<RowAt<Row>>(stages).toArray());
      return found && { row: found.row, now: found.now };
    },

    claim: (id, claim, leaseMs) => update({ _id: id, ...claimable }, [{ $set: claimFields(claim, leaseMs) }]),

    async renew(fence, leaseMs) {
      const stages = [{ $set: { lease_until: plusMs(NOW, leaseMs) } }];
      const row = await update(fenced(fence), stages);
      return row && { cancel: row.cancel };
    },

    release: (fence, options) => update(fenced(fence), [{ $set: releaseFields(options) }]),

    settle: async (fence, settlement) =>
      update({ ...fenced(fence), ...unmarked(settlement) }, settleStages(ending(settlement), false)),

    force: async (id, condition, settlement) =>
      update({ $and: [{ _id: id }, live, condition, unmarked(settlement)] }, settleStages(ending(settlement), true)),

    redispatch: (id, condition) => update({ $and: [{ _id: id }, live, condition] }, [{ $set: redispatchFields }]),

    async recordTicket(id, dispatch, ticket) {
      const stages = [{ $set: { ticket: { dispatch, at: NOW, ...ticket } } }];
      await storeCall(() => collection.updateOne(filter({ _id: id, dispatch }), stages));
    },

    async markCancelled(which, action, owed) {
      const stages = [{ $set: cancelFields(action, owed) }];
      const condition = { $and: [which, live, { cancel: null }] };
      const result = await storeCall(() => collection.updateMany(filter(condition), stages));
      return result.modifiedCount;
    },

    async discharge(id, duty) {
      const remaining = { $setDifference: ["$owed", [duty]] };
      const stages = [
        { $set: { owed: remaining } },
        { $set: { owed_at: { $cond: [{ $eq: ["$owed", []] }, null, "$owed_at"] } } },
      ];
      await storeCall(() => collection.updateOne(filter({ _id: id, owed: duty }), stages));
    },

    find: (condition, limit) =>
      storeCall(() => collection.find(filter(condition)).sort({ updated_at: 1 }).limit(limit).toArray()) as Promise<
        Row[]
      >,

    count: (condition, limit) => storeCall(() => collection.countDocuments(filter(condition), { limit })),

    countPending: (pool, lane, limit) =>
      storeCall(() => collection.countDocuments(filter({ pool, lane, status: "pending" }), { limit })),
  };
}

function unmarked({ unlessCancelled = false }: Settlement): Document {
  return unlessCancelled ? { cancel: null } : {};
}

/** @throws Error when the status is not one in which a row ends. */
function endingIn(terminalStatuses: readonly string[], settlement: Settlement): Settlement {
  if (terminalStatuses.includes(settlement.status)) return settlement;
  throw new Error(`A row cannot end with the status ${settlement.status}`);
}

function claimFields(claim: Claim, leaseMs: number): Document {
  return {
    status: "running",
    epoch: { $add: ["$epoch", 1] },
    attempt: { $add: ["$attempt", 1] },
    claim: literal(claim),
    lease_until: plusMs(NOW, leaseMs),
    not_before: null,
    started_at: NOW,
    execution_deadline_at: { $min: [plusMs(NOW, "$execution_limit_ms"), "$deadline_at"] },
    updated_at: NOW,
  };
}

function releaseFields({ delayMs, charged }: ReleaseOptions): Document {
  const due = plusMs(NOW, delayMs);
  return {
    status: "pending",
    attempt: charged ? "$attempt" : { $subtract: ["$attempt", 1] },
    lease_until: null,
    execution_deadline_at: null,
    not_before: due,
    due_at: due,
    ticket: null,
    updated_at: NOW,
  };
}

/** An abandoned row waits anew from now; a row that only lost its ticket keeps its place in time. */
const redispatchFields: Document = {
  dispatch: { $add: ["$dispatch", 1] },
  due_at: { $cond: [{ $eq: ["$status", "running"] }, NOW, "$due_at"] },
  status: "pending",
  lease_until: null,
  execution_deadline_at: null,
  not_before: null,
  ticket: null,
  updated_at: NOW,
};

function settleStages({ status, fields, owed }: Settlement, raiseEpoch: boolean): Document[] {
  const payload = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, literal(value)]));
  const set = {
    ...payload,
    status,
    ...(raiseEpoch && { epoch: { $add: ["$epoch", 1] } }),
    lease_until: null,
    not_before: null,
    owed: { $setUnion: ["$owed", [...owed]] },
    owed_at: NOW,
    ended_at: NOW,
    updated_at: NOW,
  };
  return [{ $set: set }, { $unset: "lock" }];
}

function cancelFields(action: CancelMark["action"], owed: readonly Duty[]): Document {
  return {
    cancel: { action, at: NOW },
    owed: { $setUnion: ["$owed", [...owed]] },
    owed_at: owed.length === 0 ? "$owed_at" : NOW,
    updated_at: NOW,
  };
}
