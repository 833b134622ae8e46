import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock";

export type ModelRequest = ChatCompletionRequest;
export type ModelAnswer = FixtureResponse;

export interface ModelServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Bodies of all requests, in order. */
  readonly requests: readonly ModelRequest[];
}

/** A server that speaks OpenAI's HTTP API and answers each request as `answer` says. */
export async function startModelServer(
  answer: (request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>,
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = new LLMock({ port: 0, host: "127.0.0.1" });
  server.on({ predicate: () => true }, (request) => {
    requests.push(request);
    return answer(request, requests.length - 1);
  });
  await server.start();
  return {
    baseUrl: `${server.url}/v1`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Answers one request after the other; the last answer is repeated. */
export function inOrder(...answers: ModelAnswer[]): (request: ModelRequest, index: number) => ModelAnswer {
  return (_request, index) => answers[Math.min(index, answers.length - 1)]!;
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export function says(content: string): ModelAnswer {
  return { content, usage };
}

export function calls(...toolCalls: { name: string; args: unknown; id?: string }[]): ModelAnswer {
  return {
    toolCalls: toolCalls.map(({ name, args, id }) => ({
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
      ...(id !== undefined && { id }),
    })),
    usage,
  };
}

/** Texts of the system messages of a request. */
export function systemTexts(request: ModelRequest): string[] {
  return request.messages.filter(({ role }) => role === "system").map(({ content }) => JSON.stringify(content));
}

/** What a user or a lead has written, without the lines that mark it as input. */
export function inputText(content: ModelRequest["messages"][number]["content"] | undefined): string {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return text.replace(/^--- BEGIN USER INPUT ---\n/, "").replace(/\n--- END USER INPUT ---$/, "");
}

export function toolNames(request: ModelRequest): string[] {
  return (request.tools ?? []).map((tool) => tool.function.name);
}

/** Whether a request comes from a subagent: no other agent has these prompts. */
export function isFromSubagent(request: ModelRequest): boolean {
  return systemTexts(request).some(
    (text) => text.includes("subagent. You were given") || text.includes("subagent for running"),
  );
}
