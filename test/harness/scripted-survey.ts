import { calls, inputText, type ModelAnswer, type ModelRequest, says, toolNames } from "./model-server.ts";

export interface Survey {
  /** Types of the subagents that the lead asks for, all at once. */
  readonly types: readonly string[];
  /** Model calls of each subagent that call a tool, before it answers. */
  readonly turns?: number;
  /** Awaited before an answer is given to a subagent; `turn` counts from 0. */
  readonly beforeAnswer?: (subagent: { readonly prompt: string; readonly turn: number }) => Promise<void>;
}

/** Whether a request is the lead's: only the lead has the `task` tool. */
export function isLead(request: ModelRequest): boolean {
  return toolNames(request).includes("task");
}

/** A lead that delegates once and then answers, and subagents that list the workspace before they answer. */
export function surveyAnswers({ types, turns = 1, beforeAnswer }: Survey) {
  return async (request: ModelRequest): Promise<ModelAnswer> => {
    const toolResults = request.messages.filter(({ role }) => role === "tool").length;
    if (isLead(request))
      return toolResults === 0 ? calls(...types.map(taskCall)) : says(`All ${toolResults} are done.`);
    const prompt = promptOf(request);
    await beforeAnswer?.({ prompt, turn: toolResults });
    return toolResults < turns
      ? calls({ name: "ls", args: { path: "/mnt/user-data/workspace" } })
      : says(`Finished: ${prompt}`);
  };
}

function taskCall(type: string, index: number) {
  const args = { description: `part ${index + 1}`, prompt: `Look at part ${index + 1}.`, subagent_type: type };
  return { name: "task", args, id: `call_part_${index + 1}` };
}

function promptOf(request: ModelRequest): string {
  return inputText(request.messages.find(({ role }) => role === "user")?.content);
}
