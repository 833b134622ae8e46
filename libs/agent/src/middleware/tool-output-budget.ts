import { createHash } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { headOf, type ToolOutputConfig } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { infrastructureFaultIn } from "../execution-fault.ts";
import { outputPreview } from "../messages/output-preview.ts";
import { rebuildToolMessage } from "../messages/rebuild-tool-message.ts";

/** Where whole outputs lie; not part of what an agent has produced. */
const FOLDER = "/mnt/user-data/outputs/.tool-results";

/** One write to the sandbox holds no more than this, whatever the characters are. */
const PART_CHARS = 20_000;

/** Bounds its own output, and is the way to the stored ones. */
const READER = "read_file";

export interface ToolOutputBudgetOptions {
  readonly config: ToolOutputConfig;
  readonly sandbox: Pick<Sandbox, "writeFile">;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/** What programs read of an output that was stored: `antler_output` in the message's `additional_kwargs`. */
interface StoredOutput {
  readonly path: string | null;
  readonly chars: number;
  readonly sha256: string;
}

/**
 * Keeps long outputs out of the conversation: the whole text goes into a file that the agent can read, and the model is
 * shown its beginning and end. What cannot be stored is cut.
 */
export function createToolOutputBudget(options: ToolOutputBudgetOptions): AgentMiddleware {
  return createMiddleware({
    name: "ToolOutputBudget",
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      const { name } = request.toolCall;
      const isLong = ToolMessage.isInstance(result) && result.text.length > options.config.max_chars;
      return isLong && name !== READER ? shortened(result, name, options) : result;
    },
  });
}

async function shortened(message: ToolMessage, tool: string, options: ToolOutputBudgetOptions): Promise<ToolMessage> {
  const { config } = options;
  const { text } = message;
  const path = await stored(text, tool, options);
  const sha256 = createHash("sha256").update(text, "utf8").digest("hex");
  const output: StoredOutput = { path, chars: text.length, sha256 };
  if (path === null && text.length <= config.unsaved_max_chars) return message;
  const content =
    path === null
      ? outputPreview(text, { head: config.unsaved_head_chars, tail: config.unsaved_tail_chars }, "")
      : outputPreview(
          text,
          { head: config.head_chars, tail: config.tail_chars },
          `; all of it is in ${path}: use ${READER}`,
        );
  return rebuildToolMessage(message, { content, marks: { antler_output: output } });
}

/** The path of the stored text; null when it could not be stored. */
async function stored(text: string, tool: string, options: ToolOutputBudgetOptions): Promise<string | null> {
  const { sandbox, newId, signal } = options;
  const path = `${FOLDER}/${tool.replace(/[^A-Za-z0-9_-]/g, "_")}-${newId()}.txt`;
  try {
    for (let from = 0; from < text.length;) {
      signal.throwIfAborted();
      const part = headOf(text.slice(from, from + PART_CHARS + 1), PART_CHARS);
      await sandbox.writeFile(path, part, { append: from > 0 });
      from += part.length;
    }
    return path;
  } catch (error) {
    signal.throwIfAborted();
    if (infrastructureFaultIn(error) !== undefined) throw error;
    return null;
  }
}
