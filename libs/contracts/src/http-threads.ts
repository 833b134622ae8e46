import { z } from "zod";

import { ThreadId } from "./ids.ts";

const Metadata = z.record(z.string(), z.unknown());

export const CreateThreadBody = z
  .strictObject({
    thread_id: ThreadId.optional(),
    metadata: Metadata.optional(),
    if_exists: z.enum(["raise", "do_nothing"]).optional(),
  })
  .meta({ id: "CreateThreadBody" });
export type CreateThreadBody = z.infer<typeof CreateThreadBody>;

export const PatchThreadBody = z.strictObject({ metadata: Metadata.optional() }).meta({ id: "PatchThreadBody" });

export const ThreadView = z
  .object({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: Metadata,
    status: z.enum(["idle", "busy", "interrupted", "error"]),
    values: Metadata.nullable(),
    interrupts: Metadata,
  })
  .meta({ id: "Thread" });
export type ThreadView = z.infer<typeof ThreadView>;

/** Names a checkpoint of a thread. */
export const CheckpointRef = z.object({ thread_id: z.string(), checkpoint_ns: z.string(), checkpoint_id: z.string() });

const SomeCheckpoint = z.object({ checkpoint_id: z.string().min(1).max(128) });

/** Which states of a thread: at most `limit`, newest first, from `checkpoint` on or from behind `before`. */
export const ThreadHistoryBody = z
  .strictObject({
    limit: z.int().min(1).max(1000).default(10),
    before: SomeCheckpoint.optional(),
    checkpoint: SomeCheckpoint.partial().optional(),
  })
  .meta({ id: "ThreadHistoryBody" });
export type ThreadHistoryBody = z.infer<typeof ThreadHistoryBody>;

/** State of a thread at its newest checkpoint; `checkpoint` is null while no run has written one. */
export const ThreadStateView = z
  .object({
    values: Metadata,
    next: z.array(z.string()),
    tasks: z.array(Metadata),
    interrupts: z.array(Metadata),
    metadata: Metadata,
    created_at: z.string().nullable(),
    checkpoint: CheckpointRef.nullable(),
    parent_checkpoint: CheckpointRef.nullable(),
  })
  .meta({ id: "ThreadState" });
export type ThreadStateView = z.infer<typeof ThreadStateView>;

/** What an upload put into the workspace. */
export const WorkspaceReceipt = z
  .object({ files: z.int().min(0), bytes: z.int().min(0) })
  .meta({ id: "WorkspaceReceipt" });
export type WorkspaceReceipt = z.infer<typeof WorkspaceReceipt>;
