import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

/** A chat model that an agent can drive. */
export type AgentModel = BaseChatModel;
