import { createHash } from "node:crypto";

import { headOf } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { infrastructureFaultIn } from "../execution-fault.ts";
import type { StoredOutput } from "../messages/stored-output.ts";
import { TOOL_RESULTS_FOLDER } from "../tools/tool-results-folder.ts";

/** One write to the sandbox holds no more than this, whatever the characters are. */
const PART_CHARS = 20_000;

export interface OutputStoreOptions {
  readonly sandbox: Pick<Sandbox, "writeFile">;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/** Keeps whole outputs in files that the agent can read. */
export interface OutputStore {
  /** @throws whatever ends the execution; a file that cannot be written is no error. */
  store(tool: string, text: string): Promise<StoredOutput>;
}

export function createOutputStore({ sandbox, newId, signal }: OutputStoreOptions): OutputStore {
  const write = async (path: string, text: string): Promise<void> => {
    for (let from = 0; from < text.length;) {
      signal.throwIfAborted();
      const part = headOf(text.slice(from, from + PART_CHARS + 1), PART_CHARS);
      await sandbox.writeFile(path, part, { append: from > 0 });
      from += part.length;
    }
  };
  return {
    async store(tool, text) {
      const path = `${TOOL_RESULTS_FOLDER}/${tool.replace(/[^A-Za-z0-9_-]/g, "_")}-${newId()}.txt`;
      const facts = { chars: text.length, sha256: createHash("sha256").update(text, "utf8").digest("hex") };
      try {
        await write(path, text);
        return { ...facts, path };
      } catch (error) {
        signal.throwIfAborted();
        if (infrastructureFaultIn(error) !== undefined) throw error;
        return { ...facts, path: null };
      }
    },
  };
}
