import { z } from "zod";

/** Ids that Antler makes: UUID version 7, so that they sort by time of creation. */
export const RunId = z.uuid().meta({ description: "Id of a run" });
export const TaskId = z.uuid().meta({ description: "Id of a task" });
/** A thread id may be given by the client: 1 to 64 letters, digits, hyphens and underscores. */
export const ThreadId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens or underscores")
  .meta({ description: "Id of a thread" });
/** A provider's tool call id, as it stands in the model's message. */
export const ToolCallId = z.string().min(1).max(256);
/** A name that may stand in a subject, a durable's name and a file name. */
export const Name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 of a-z, 0-9 and -, beginning with a letter");

export type RunId = z.infer<typeof RunId>;
export type TaskId = z.infer<typeof TaskId>;
export type ThreadId = z.infer<typeof ThreadId>;

/** The one tenant of this version, which has no authentication. */
export const DEFAULT_TENANT = "default";
