import { z } from "zod";

import { ThreadId } from "@antler/contracts";

const Id = z.string().min(1).max(128);

/** Path parameters of the routes. A run id of any form is looked up; one that does not exist is not found. */
export const ThreadPath = z.object({ thread_id: ThreadId });
export const RunPath = z.object({ run_id: Id });
export const DeadLetterPath = z.object({ dead_letter_id: Id });
export const ThreadCheckpointPath = z.object({ thread_id: ThreadId, checkpoint_id: Id });
export const ThreadRunPath = z.object({ thread_id: ThreadId, run_id: Id });

interface NewRunPath {
  readonly path: string;
  readonly params: z.ZodType<{ readonly thread_id?: string | undefined }>;
}

/** The two paths of a route that creates a run: on a thread, and on one that is made for the run. */
export function newRunPaths(suffix: "" | "/stream" | "/wait"): readonly NewRunPath[] {
  return [
    { path: `/threads/:thread_id/runs${suffix}`, params: ThreadPath },
    { path: `/runs${suffix}`, params: z.object({}) },
  ];
}

export function runUrl(run: { thread_id: string; _id: string }): string {
  return `/threads/${run.thread_id}/runs/${run._id}`;
}
