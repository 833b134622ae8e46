import type { Config, Environment } from "@antler/contracts";

import type { AgentModel } from "./agent-model.ts";
import { chooseModel } from "./choose-model.ts";
import { createChatModel } from "./create-chat-model.ts";
import { createModelTransport } from "./model-transport.ts";

/** The chat models of a process: made at first use and shared, since a model holds connections and no conversation. */
export interface Models {
  /** @throws AntlerError `model_unknown`, or `model_failed` when the provider or its key is missing. */
  get(name: string): Promise<AgentModel>;
  /** Closes idle connections; calls that are under way fail. */
  close(): Promise<void>;
}

export function createModels(config: Pick<Config, "models">, environment: Environment): Models {
  const made = new Map<string, Promise<AgentModel>>();
  const transport = createModelTransport(environment);
  const make = async (name: string) => createChatModel(chooseModel(config, name), { environment, transport });
  return {
    get(name) {
      const model = made.get(name) ?? make(name);
      made.set(name, model);
      model.catch(() => made.delete(name));
      return model;
    },
    close: () => transport.close(),
  };
}
