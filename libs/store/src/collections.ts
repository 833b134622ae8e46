import type { Collection, Db } from "mongodb";

import type { EventCategory, RunEventType } from "@antler/contracts";

import type { DeadLetterRow, RunRow, TaskRow, ThreadRow } from "./rows.ts";

/** An event as it is stored: `data` is JSON text, so that no key or depth of a client's value is refused or changed. */
export interface EventDocument {
  readonly run_id: string;
  readonly seq: number;
  readonly key: string;
  readonly thread_id: string;
  readonly task_id?: string;
  readonly type: RunEventType;
  readonly category: EventCategory;
  readonly data: string;
  readonly created_at: Date;
}

/** One model call; `_id` is its usage key. */
export interface UsageDocument {
  readonly _id: string;
  readonly run_id: string;
  readonly task_id?: string;
  readonly caller: string;
  readonly model_name: string | null;
  readonly response_id?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cache_read_tokens?: number | undefined;
  readonly created_at: Date;
}

/** The whole of a result that is too long for the row of its task; `_id` is the task with the epoch of its claim. */
export interface ResultDocument {
  readonly _id: string;
  readonly task_id: string;
  readonly text: string;
}

export interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

interface SerializedValue {
  value(): Uint8Array;
}

/** A checkpoint in the layout of the LangGraph checkpointer, with the claim that wrote it. */
export interface CheckpointDocument {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string;
  readonly checkpoint: SerializedValue;
  readonly metadata: SerializedValue;
  readonly run_id?: string;
  readonly epoch?: number;
}

/** A pending write in the layout of the LangGraph checkpointer, with the path that orders it. */
export interface CheckpointWriteDocument {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string;
  readonly value: SerializedValue;
  readonly task_path?: string;
  readonly run_id?: string;
  readonly epoch?: number;
}

/** A dead letter as it is stored: `headers` is JSON text, so that no name is refused. */
export interface DeadLetterDocument extends Omit<DeadLetterRow, "headers"> {
  readonly headers: string;
}

/** Every collection of Antler's database. */
export interface Collections {
  readonly runs: Collection<RunRow>;
  readonly tasks: Collection<TaskRow>;
  readonly events: Collection<EventDocument>;
  readonly results: Collection<ResultDocument>;
  readonly usage: Collection<UsageDocument>;
  readonly threads: Collection<ThreadRow>;
  readonly leases: Collection<LeaseDocument>;
  readonly deadLetters: Collection<DeadLetterDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly checkpointWrites: Collection<CheckpointWriteDocument>;
}

export function collectionsOf(db: Db): Collections {
  return {
    runs: db.collection("runs"),
    tasks: db.collection("tasks"),
    events: db.collection("events"),
    results: db.collection("results"),
    usage: db.collection("usage"),
    threads: db.collection("threads"),
    leases: db.collection("leases"),
    deadLetters: db.collection("dead_letters"),
    checkpoints: db.collection("checkpoints"),
    checkpointWrites: db.collection("checkpoint_writes"),
  };
}
