import { interrupt } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";

export const ASK_CLARIFICATION_NAME = "ask_clarification";

const schema = z.object({
  question: z.string().min(1).describe("What you need to know, as one question that stands by itself"),
  options: z.array(z.string()).optional().describe("Answers to choose from, when there are a few"),
  context: z.string().optional().describe("Why you ask, in a sentence"),
});

/**
 * Stops the run until the user has answered; the answer is the call's result. The call runs again from its beginning
 * when the run goes on, so nothing may happen in it before the interrupt.
 */
export function createAskClarificationTool() {
  return tool((question: z.infer<typeof schema>) => answerText(interrupt<object, unknown>(question)), {
    name: ASK_CLARIFICATION_NAME,
    description:
      "Ask the user and wait for the answer. Use it when the request is ambiguous, when something is missing that you " +
      "cannot find out yourself, or before something that cannot be undone. Do not ask what the files can tell.",
    schema,
  });
}

function answerText(answer: unknown): string {
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}
