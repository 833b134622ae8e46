import type { Collection } from "mongodb";

import { AntlerError, eventKeys, type NewRunEvent, type RunEvent, type RunEventType } from "@antler/contracts";
import { delay, type Logger, monotonicMs } from "@antler/platform";

import type { EventDocument } from "./collections.ts";
import { draftOf, type EventDraft, eventOf } from "./event-document.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";

export interface ReadEventsOptions {
  /** Events after this number; 0 begins at the first. */
  readonly afterSeq: number;
  readonly limit: number;
  /** Size of their data beyond which no more events are taken; 8 MiB without it. */
  readonly maxBytes?: number;
  readonly taskId?: string;
  readonly types?: readonly RunEventType[];
}

/** The log of each run: numbered from 1 without a gap, each key once, sealed by `run:end`. */
export interface EventLog {
  /**
   * Appends in the given order and returns the events as they are stored, in that order. An event whose key is
   * stored already is returned as stored. A sealed log takes no new event: those are left out of the answer.
   * Throws `document_too_large` before anything is written, and `store_unavailable`; repeatable.
   */
  append(runId: string, threadId: string, events: readonly NewRunEvent[]): Promise<RunEvent[]>;
  /** In order of number; fewer than `limit` when they hold more than `maxBytes`, but at least one if there is one. */
  read(runId: string, options: ReadEventsOptions): Promise<RunEvent[]>;
  /** 0 for an empty log. */
  lastSeq(runId: string): Promise<number>;
  deleteRun(runId: string): Promise<void>;
}

const APPEND_DEADLINE_MS = 30_000;
const READ_MAX_BYTES = 8 * 1024 * 1024;

interface Tail {
  readonly seq: number;
  readonly sealed: boolean;
}

export function createEventLog(collection: Collection<EventDocument>, logger: Logger): EventLog {
  const tailOf = async (runId: string): Promise<Tail> => {
    const options = { sort: { seq: -1 }, projection: { seq: 1, key: 1 } } as const;
    const last = await storeCall(() => collection.findOne({ run_id: runId }, options));
    return { seq: last?.seq ?? 0, sealed: last?.key === eventKeys.runEnd };
  };

  const storedUnder = (runId: string, drafts: readonly EventDraft[]): Promise<EventDocument[]> => {
    const keys = drafts.map((draft) => draft.key);
    return storeCall(() => collection.find({ run_id: runId, key: { $in: keys } }).toArray());
  };

  /** True when all are stored. After false any number of them may be: the first ones, or those of another appender. */
  const insertAfter = async (seq: number, drafts: readonly EventDraft[]): Promise<boolean> => {
    const documents = drafts.map((draft, index) => ({ ...draft, seq: seq + 1 + index }));
    try {
      await storeCall(() => collection.insertMany(documents, { ordered: true }));
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  };

  const append: EventLog["append"] = async (runId, threadId, events) => {
    const drafts = distinct(events.map((event) => draftOf({ runId, threadId }, event)));
    const stored = await appendDrafts({ tailOf, storedUnder, insertAfter }, runId, drafts);
    const dropped = drafts.filter((draft) => !stored.has(draft.key)).map((draft) => draft.key);
    if (dropped.length > 0)
      logger.warn({ run_id: runId, keys: dropped }, "events after the end of the run were dropped");
    return drafts.flatMap((draft) => stored.get(draft.key) ?? []).map(eventOf);
  };

  return {
    append,
    async read(runId, { afterSeq, limit, maxBytes = READ_MAX_BYTES, taskId, types }) {
      const filter = {
        run_id: runId,
        seq: { $gt: afterSeq },
        ...(taskId !== undefined && { task_id: taskId }),
        ...(types !== undefined && { type: { $in: types } }),
      };
      const batchSize = Math.min(limit, 500);
      const cursor = collection.find(filter, { sort: { seq: 1 }, limit, batchSize });
      return storeCall(() => takeBounded(cursor, maxBytes));
    },
    lastSeq: async (runId) => (await tailOf(runId)).seq,
    async deleteRun(runId) {
      await storeCall(() => collection.deleteMany({ run_id: runId }));
    },
  };
}

interface LogAccess {
  tailOf(runId: string): Promise<Tail>;
  storedUnder(runId: string, drafts: readonly EventDraft[]): Promise<EventDocument[]>;
  insertAfter(seq: number, drafts: readonly EventDraft[]): Promise<boolean>;
}

type StoredByKey = ReadonlyMap<string, EventDocument>;

/**
 * Every number is taken by a write that saw the number before it, and an ordered insert stops at its first
 * duplicate: hence no gap, even when a write whose answer was lost arrives late.
 */
async function appendDrafts(log: LogAccess, runId: string, drafts: readonly EventDraft[]): Promise<StoredByKey> {
  const stored = new Map<string, EventDocument>();
  const deadline = monotonicMs() + APPEND_DEADLINE_MS;
  for (let missing = drafts; missing.length > 0; missing = missing.filter((draft) => !stored.has(draft.key))) {
    const tail = await log.tailOf(runId);
    const fresh = tail.sealed ? [] : upToSeal(missing);
    if (fresh.length > 0 && (await log.insertAfter(tail.seq, fresh))) {
      fresh.forEach((draft, index) => stored.set(draft.key, { ...draft, seq: tail.seq + 1 + index }));
      continue;
    }
    for (const document of await log.storedUnder(runId, missing)) stored.set(document.key, document);
    if (tail.sealed) break;
    if (monotonicMs() > deadline) throw crowded(runId);
    await delay(1 + Math.random() * 9);
  }
  return stored;
}

/** Nothing follows the seal, in the same write neither. */
function upToSeal(drafts: readonly EventDraft[]): readonly EventDraft[] {
  const seal = drafts.findIndex((draft) => draft.key === eventKeys.runEnd);
  return seal === -1 ? drafts : drafts.slice(0, seal + 1);
}

function distinct(drafts: readonly EventDraft[]): readonly EventDraft[] {
  return [...new Map(drafts.toReversed().map((draft) => [draft.key, draft])).values()].toReversed();
}

async function takeBounded(cursor: AsyncIterable<EventDocument>, maxBytes: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let bytes = 0;
  for await (const document of cursor) {
    events.push(eventOf(document));
    bytes += document.data.length;
    if (bytes > maxBytes) break;
  }
  return events;
}

function crowded(runId: string): AntlerError {
  return new AntlerError(
    "store_unavailable",
    `No number of the log of run ${runId} was free in ${APPEND_DEADLINE_MS} ms`,
  );
}
