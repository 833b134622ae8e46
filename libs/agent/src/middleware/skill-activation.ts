import { posix } from "node:path";

import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { isErrorResult } from "../messages/error-result.ts";
import { allowedTools } from "../skills/allowed-tools.ts";
import { type Skill, skillLocation } from "../skills/skill.ts";
import { narrowTools } from "../tools/tool-policy.ts";
import { refusalMessage, type ToolRefusal, toolRefusal } from "../tools/tool-refusal.ts";
import { TOOL_SEARCH_NAME } from "../tools/tool-search-tool.ts";

export interface SkillActivationOptions {
  readonly skills: readonly Skill[];
  readonly onRefused: (refusal: ToolRefusal) => void;
}

/**
 * Narrows the tools of an agent to what its active skills allow, in requests and where tools run. A skill is active
 * once its SKILL.md has been read with read_file, until the execution ends. `tool_search` is not narrowed: what it
 * finds is.
 */
export function createSkillActivation({ skills, onRefused }: SkillActivationOptions): AgentMiddleware {
  const active = new Set<Skill>();
  const allows = (name: string) =>
    name === TOOL_SEARCH_NAME || narrowTools([name], { allowed: allowedTools([...active]), denied: [] }).length > 0;
  return createMiddleware({
    name: "SkillActivation",
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: request.tools.filter(({ name }) => allows(String(name))) }),
    wrapToolCall: async (request, handler) => {
      const { name, args } = request.toolCall;
      if (!allows(name)) {
        const refusal = toolRefusal(request.toolCall, "not_permitted");
        onRefused(refusal);
        return refusalMessage(refusal, refusalText(refusal, [...active]));
      }
      const result = await handler(request);
      const read = ToolMessage.isInstance(result) && !isErrorResult(result) ? skillAt(skills, name, args) : undefined;
      if (read !== undefined) active.add(read);
      return result;
    },
  });
}

/** The skill whose SKILL.md a call asks for. */
function skillAt(skills: readonly Skill[], tool: string, args: unknown): Skill | undefined {
  const { path } = args as { readonly path?: unknown };
  if (tool !== "read_file" || typeof path !== "string") return undefined;
  return skills.find((skill) => skillLocation(skill) === posix.normalize(path));
}

function refusalText({ tool_name: name }: ToolRefusal, active: readonly Skill[]): string {
  const names = active.map((skill) => skill.name).join(", ");
  return `Error: Tool '${name}' is not among the allowed-tools of the skills that you have read: ${names}. Nothing was run.`;
}
