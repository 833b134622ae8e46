import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";

import { isAntlerError } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { callIdOf, type ToolCallConfig } from "./tool-call-config.ts";
import { TOOL_RESULTS_FOLDER } from "./tool-results-folder.ts";

const NAME = "present_files";

const schema = z.object({
  filepaths: z.array(z.string().min(1)).min(1).max(100).describe("Absolute paths of files in the outputs directory"),
});

/** Puts finished files before the user: they become artifacts of the thread, each once. All are presented or none. */
export function createPresentFilesTool(sandbox: FileView) {
  return tool(
    async ({ filepaths }: z.infer<typeof schema>, config: ToolCallConfig) => {
      const checks = await Promise.all(filepaths.map((path) => checked(path, sandbox)));
      const errors = checks.flatMap((check) => ("error" in check ? [check.error] : []));
      const id = callIdOf(config);
      if (errors.length > 0) return answer(id, `Error: ${errors.join("; ")}`, "error");
      const artifacts = checks.flatMap((check) => ("path" in check ? [check.path] : []));
      return new Command({ update: { artifacts, messages: [answer(id, "Successfully presented files", "success")] } });
    },
    {
      name: NAME,
      description:
        `Show files to the user. Only files under ${sandbox.threadData.outputs_path} can be presented; move or write them ` +
        "there first. Call it once the files are finished; presenting a file again does no harm.",
      schema,
    },
  );
}

type FileView = Pick<Sandbox, "stat" | "list" | "threadData">;
type EntryKind = NonNullable<Awaited<ReturnType<Sandbox["stat"]>>>["kind"];

type Check = { readonly path: string } | { readonly error: string };

async function checked(given: string, sandbox: FileView): Promise<Check> {
  const outputs = sandbox.threadData.outputs_path;
  const path = normalPath(given);
  if (!path.startsWith(`${outputs}/`)) return { error: `${given} is not under ${outputs}` };
  if (path.startsWith(`${TOOL_RESULTS_FOLDER}/`)) return { error: `${given} is kept tool output, not a result` };
  try {
    const kind = await kindOf(path, sandbox);
    return kind === "file" ? { path } : { error: `${given} ${kind === undefined ? "does not exist" : `is a ${kind}`}` };
  } catch (error) {
    if (isAntlerError(error, "path_refused", "invalid_request")) return { error: error.message };
    throw error;
  }
}

/** What stands at a path below the outputs, where a link on the way counts for what it is, wherever it leads. */
async function kindOf(path: string, { stat, list, threadData }: FileView): Promise<EntryKind | undefined> {
  const found = await stat(path);
  if (found === undefined) return undefined;
  const names = path.slice(threadData.outputs_path.length + 1).split("/");
  for (const depth of names.keys()) {
    const parent = [threadData.outputs_path, ...names.slice(0, depth)].join("/");
    const { entries } = await list(parent, { depth: 1 });
    const kind = entries.find((entry) => entry.path === `${parent}/${names[depth] ?? ""}`)?.kind;
    if (kind === "link") return kind;
  }
  return found.kind;
}

/** Without empty and dot segments; what climbs stays as it is, for the sandbox to refuse. */
function normalPath(path: string): string {
  return path.replaceAll(/\/(\.?\/)+/g, "/");
}

function answer(id: string, content: string, status: "success" | "error"): ToolMessage {
  return new ToolMessage({ tool_call_id: id, name: NAME, content, status });
}
