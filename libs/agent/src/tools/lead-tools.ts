import type { StructuredToolInterface } from "@langchain/core/tools";

import type { Sandbox } from "@antler/sandbox";

import { createAskClarificationTool } from "./ask-clarification-tool.ts";
import { createPresentFilesTool } from "./present-files-tool.ts";

/** Tools of every lead, whatever its tool groups are: they speak with the user. No subagent has them. */
export function createLeadTools(sandbox: Sandbox): StructuredToolInterface[] {
  return [createAskClarificationTool(), createPresentFilesTool(sandbox)];
}
