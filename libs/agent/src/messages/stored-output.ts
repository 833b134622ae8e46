import type { ToolMessage } from "@langchain/core/messages";

/** The tool that reads stored outputs; it bounds its own output, which is never stored a second time. */
export const STORED_OUTPUT_READER = "read_file";

/** An output that is shown in part. */
export interface StoredOutput {
  /** Null when it could not be stored. */
  readonly path: string | null;
  readonly chars: number;
  readonly sha256: string;
}

/** In `additional_kwargs` of a result that is shown in part: what programs read of the whole. */
const MARK = "antler_output";

export function storedOutputMark(output: StoredOutput): Readonly<Record<string, unknown>> {
  return { [MARK]: output };
}

/** The whole of a result that is shown in part; null when the result is shown as it was. */
export function storedOutputOf(message: ToolMessage): StoredOutput | null {
  const mark: unknown = message.additional_kwargs[MARK];
  return typeof mark === "object" && mark !== null ? (mark as StoredOutput) : null;
}

/** Where all of an output is that is shown in part; empty when it is nowhere. */
export function storedAt(path: string | null): string {
  return path === null ? "" : `; all of it is in ${path}: use ${STORED_OUTPUT_READER}`;
}
