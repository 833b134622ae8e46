import { z } from "zod";

const chars = (fallback: number, meaning: string) => z.int().min(100).default(fallback).describe(meaning);

/** How much of a tool's output stands in the conversation. */
export const ToolOutputConfig = z
  .strictObject({
    max_chars: chars(12_000, "Characters beyond which an output is stored in a file and shown in part"),
    head_chars: chars(2000, "Characters of its beginning that are shown then"),
    tail_chars: chars(1000, "Characters of its end that are shown then"),
    answer_max_chars: chars(
      200_000,
      "Characters that the results of one answer's tool calls take of a request together; the longest are shortened first",
    ),
    unsaved_max_chars: chars(30_000, "Characters beyond which an output is cut that could not be stored"),
    unsaved_head_chars: chars(8000, "Characters of its beginning that are shown then"),
    unsaved_tail_chars: chars(3000, "Characters of its end that are shown then"),
  })
  .prefault({});
export type ToolOutputConfig = z.infer<typeof ToolOutputConfig>;
