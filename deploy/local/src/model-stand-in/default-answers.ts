import type { LLMock } from "@copilotkit/aimock";

/** Answers any request, so that a stack without a provider works; the words say what they are. */
export function registerAnswers(mock: LLMock): void {
  mock.addFixture({
    match: { predicate: () => true },
    response: { content: "This is a replayed answer: no model provider is configured." },
  });
}
