import type { AgentModel } from "./agent-model.ts";

/** What a chunk's generation says that its message would lose when an answer is put together from a stream. */
const KEPT = ["finish_reason", "model_name"] as const;

/** Lets the messages of a streaming model say how they ended, as those of a model that does not stream do. */
export function withStreamedEndings<Model extends AgentModel>(model: Model): Model {
  const stream = model._streamResponseChunks.bind(model);
  model._streamResponseChunks = async function* (...call) {
    for await (const chunk of stream(...call)) {
      const info: Record<string, unknown> = chunk.generationInfo ?? {};
      const kept = KEPT.filter((key) => typeof info[key] === "string").map((key) => [key, info[key]]);
      const { message } = chunk;
      Object.assign(message.response_metadata, Object.fromEntries(kept));
      yield chunk;
    }
  };
  return model;
}
