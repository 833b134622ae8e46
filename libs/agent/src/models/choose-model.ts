import { AntlerError, type Config, type ModelConfig } from "@antler/contracts";

/**
 * The configured model of that name; without a name the first.
 * @throws AntlerError `model_unknown` that lists the configured names.
 */
export function chooseModel({ models }: Pick<Config, "models">, name: string | undefined): ModelConfig {
  const model = name === undefined ? models[0] : models.find((entry) => entry.name === name);
  if (model !== undefined) return model;
  const names = models.map((entry) => entry.name).join(", ");
  if (names === "")
    throw new AntlerError(
      "model_unknown",
      "No chat models are configured: add one to models, or set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY",
    );
  throw new AntlerError("model_unknown", `Model ${String(name)} is not among models: ${names}`);
}
