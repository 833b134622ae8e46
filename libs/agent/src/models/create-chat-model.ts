import { initChatModel } from "langchain";

import { AntlerError, type Environment, messageOf, type ModelConfig } from "@antler/contracts";

import type { AgentModel } from "./agent-model.ts";
import type { ModelTransport } from "./model-transport.ts";
import { withStreamedEndings } from "./streamed-endings.ts";

/** Retries are made around the whole call, where they can be aborted and never cost a turn. */
const NO_RETRIES = { maxRetries: 0 };

export interface ChatModelSources {
  /** For keys. */
  readonly environment: Environment;
  readonly transport: ModelTransport;
}

/**
 * The chat model of a configuration entry. A provider is loaded when it is first asked for.
 * @throws AntlerError `model_failed` when the provider is not installed, or its key is missing or no key at all.
 */
export async function createChatModel(config: ModelConfig, sources: ChatModelSources): Promise<AgentModel> {
  switch (config.provider) {
    case "openai":
      return openai(config, sources);
    case "anthropic":
      return anthropic(config, sources);
    default:
      return other(config, sources);
  }
}

/** What can stand in a header; a key that was copied with a dash or dots for its middle cannot. */
const KEY_PATTERN = /^[\x21-\x7e]*$/;

function givenKey({ name, api_key_env }: ModelConfig, environment: Environment): string | undefined {
  const key = api_key_env === undefined ? undefined : environment[api_key_env];
  if (key === undefined || KEY_PATTERN.test(key)) return key;
  const message = `Model ${name}: ${api_key_env} holds characters that stand in no key; copy the whole key into it`;
  throw new AntlerError("model_failed", message);
}

function keyOf(config: ModelConfig, environment: Environment): string | undefined {
  const { name, api_key_env } = config;
  const key = givenKey(config, environment);
  if (api_key_env === undefined || key !== undefined) return key;
  throw new AntlerError("model_failed", `Model ${name} has no key: set the environment variable ${api_key_env}`);
}

async function openai(config: ModelConfig, { environment, transport }: ChatModelSources): Promise<AgentModel> {
  const { ChatOpenAI, ChatOpenAICompletions } = await import("@langchain/openai");
  const timeout = config.timeout_seconds * 1000;
  const fields = {
    model: config.model,
    timeout,
    ...NO_RETRIES,
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.max_tokens !== undefined && { maxTokens: config.max_tokens }),
  };
  const fetch = transport.fetch(timeout);
  if (config.base_url === undefined)
    return withStreamedEndings(
      new ChatOpenAI({ ...fields, apiKey: keyOf(config, environment) ?? "", configuration: { fetch } }),
    );
  const apiKey = givenKey(config, environment) ?? "none";
  return withStreamedEndings(
    new ChatOpenAICompletions({ ...fields, apiKey, configuration: { fetch, baseURL: config.base_url } }),
  );
}

async function anthropic(config: ModelConfig, { environment, transport }: ChatModelSources): Promise<AgentModel> {
  const { ChatAnthropic } = await import("@langchain/anthropic");
  const timeout = config.timeout_seconds * 1000;
  return new ChatAnthropic({
    model: config.model,
    apiKey: keyOf(config, environment) ?? "",
    ...NO_RETRIES,
    clientOptions: { timeout, fetch: transport.fetch(timeout) },
    ...(config.base_url !== undefined && { anthropicApiUrl: config.base_url }),
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.max_tokens !== undefined && { maxTokens: config.max_tokens }),
  });
}

async function other(config: ModelConfig, { environment }: ChatModelSources): Promise<AgentModel> {
  const key = keyOf(config, environment);
  try {
    const model = await initChatModel(config.model, {
      modelProvider: config.provider,
      ...NO_RETRIES,
      ...(key !== undefined && { apiKey: key }),
      ...(config.base_url !== undefined && { baseUrl: config.base_url }),
      ...(config.temperature !== undefined && { temperature: config.temperature }),
      ...(config.max_tokens !== undefined && { maxTokens: config.max_tokens }),
    });
    return model;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AntlerError("model_failed", `Model ${config.name} of provider ${config.provider}: ${reason}`, { cause });
  }
}
