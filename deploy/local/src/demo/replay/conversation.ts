import type { ChatCompletionRequest, ChatMessage } from "@copilotkit/aimock";

/** A tool call of the conversation with its result. */
export interface Exchange {
  readonly tool: string;
  readonly result: string;
}

/** What a replayed model says: words, and the tools it calls. */
export interface Reply {
  readonly text: string;
  readonly calls?: readonly ToolUse[];
}

export interface ToolUse {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The tool calls that have results, in their order. Replies depend on nothing else, so that an execution which begins
 * afresh or continues from a checkpoint is answered alike.
 */
export function exchangesOf({ messages }: ChatCompletionRequest): readonly Exchange[] {
  const results = new Map(messages.map((message) => [message.tool_call_id, textOf(message)]));
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .flatMap(({ id, function: { name } }) => {
      const result = results.get(id);
      return result === undefined ? [] : [{ tool: name, result }];
    });
}

/** The results of one tool, in their order. */
export function resultsOf(exchanges: readonly Exchange[], tool: string): readonly string[] {
  return exchanges.filter((exchange) => exchange.tool === tool).map(({ result }) => result);
}

export function hasTool({ tools }: ChatCompletionRequest, name: string): boolean {
  return tools?.some((tool) => tool.function.name === name) ?? false;
}

/** Whether any message of the user holds `words`. */
export function asks({ messages }: ChatCompletionRequest, words: string): boolean {
  return messages.some((message) => message.role === "user" && textOf(message).includes(words));
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

const virtualPath = /\/mnt\/user-data\/workspace\/[^\n]*[^\n/:\s]/g;

/** The workspace files that a result of `glob` or `ls` names, each on a line of its own. */
export function pathsIn(result: string): readonly string[] {
  return result.match(virtualPath) ?? [];
}

/** The first lines of a text that are not blank, as a quotation. */
export function quote(text: string, lines: number): string {
  const chosen = text.split("\n").filter((line) => line.trim() !== "");
  return chosen
    .slice(0, lines)
    .map((line) => `> ${line.slice(0, 200)}`)
    .join("\n");
}
