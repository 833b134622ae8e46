import { readFile } from "node:fs/promises";

import { AntlerError, type Config, type Environment, isAntlerError, messageOf, parseConfig } from "@antler/contracts";

import { describeFaults } from "./config-faults.ts";
import { parseYaml, type YamlDocument } from "./yaml-document.ts";

const DEFAULT_PATH = "antler.yaml";

export interface ConfigSource {
  /** The file; without it ANTLER_CONFIG names one, and without that antler.yaml is read when it exists. */
  readonly path?: string;
  readonly environment: Environment;
}

/**
 * The configuration from the YAML file and the environment over it.
 * @throws AntlerError `config_invalid` that lists all faults at once, each with path and line or variable.
 */
export async function loadConfig({ path, environment }: ConfigSource): Promise<Config> {
  const named = path ?? nonEmpty(environment["ANTLER_CONFIG"]);
  const text = await readConfigFile(named ?? DEFAULT_PATH, named !== undefined);
  const document = parseYaml(text, named ?? DEFAULT_PATH);
  try {
    return parseConfig(document.value, environment);
  } catch (error) {
    throw isAntlerError(error, "config_invalid") ? withPlaces(error, document, environment) : error;
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

async function readConfigFile(path: string, mustExist: boolean): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!mustExist && isMissing(error)) return "";
    const message = `Configuration file ${path} cannot be read: ${messageOf(error)}. Correct ANTLER_CONFIG or the file`;
    throw new AntlerError("config_invalid", message, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function withPlaces(error: AntlerError, document: YamlDocument, environment: Environment): AntlerError {
  const errors = describeFaults(error.details["errors"], document, environment);
  const lines = errors.map(({ path, message, place }) => `  ${path}: ${message} (${place})`);
  const message = `Configuration is not valid:\n${lines.join("\n")}`;
  return new AntlerError("config_invalid", message, { cause: error, details: { errors } });
}
