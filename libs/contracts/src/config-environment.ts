import { z } from "zod";

import { AntlerError } from "./antler-error.ts";
import { Config } from "./config.ts";
import { crossSectionFaults } from "./config-faults.ts";
import { ConfigShape } from "./config-shape.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Tree = Record<string, unknown>;

interface Variable {
  readonly name: string;
  readonly path: readonly [string, string];
  readonly kind: "text" | "number" | "boolean";
  readonly meaning: string;
}

/** Environment variables that go over antler.yaml. */
export const ENVIRONMENT_VARIABLES: readonly Variable[] = [
  { name: "NATS_URL", path: ["nats", "url"], kind: "text", meaning: "NATS server" },
  { name: "MONGODB_URL", path: ["mongodb", "url"], kind: "text", meaning: "MongoDB server" },
  { name: "ANTLER_DATABASE", path: ["mongodb", "database"], kind: "text", meaning: "Database name" },
  { name: "ANTLER_HTTP_HOST", path: ["http", "host"], kind: "text", meaning: "Address the gateway binds" },
  { name: "ANTLER_HTTP_PORT", path: ["http", "port"], kind: "number", meaning: "Port of the gateway" },
  { name: "ANTLER_HEALTH_HOST", path: ["http", "health_host"], kind: "text", meaning: "Address of health servers" },
  { name: "ANTLER_HEALTH_PORT", path: ["http", "health_port"], kind: "number", meaning: "Port of health servers" },
  { name: "ANTLER_WORKSPACES_DIR", path: ["sandbox", "workspaces_dir"], kind: "text", meaning: "Where workspaces lie" },
  { name: "ANTLER_SANDBOX", path: ["sandbox", "provider"], kind: "text", meaning: "Sandbox provider" },
  {
    name: "ANTLER_ALLOW_HOST_BASH",
    path: ["sandbox", "allow_host_bash"],
    kind: "boolean",
    meaning: "Unisolated commands",
  },
  { name: "ANTLER_LOG_LEVEL", path: ["logging", "level"], kind: "text", meaning: "Least level that is logged" },
];

/** Variables that a process reads beside the configuration. */
export const PROCESS_VARIABLES = {
  ANTLER_CONFIG: "Path of the configuration file",
  ANTLER_POOLS: "subagent-runner: the pools whose tasks it takes, separated by commas; all that take tasks when unset",
  ANTLER_PARENT_PID: "A service drains as on SIGTERM once the process with this id is gone",
} as const;

/** Variables that name the default model when `models` is empty. */
export const MODEL_VARIABLES = {
  OPENAI_BASE_URL: "Base URL of an OpenAI-compatible server; makes it the default model's",
  OPENAI_API_KEY: "Key of OpenAI or of the compatible server",
  OPENAI_MODEL: "Model name at that server; gpt-5-mini when unset",
  ANTHROPIC_API_KEY: "Key of Anthropic",
  ANTHROPIC_MODEL: "Model name at Anthropic; claude-sonnet-4-5 when unset",
} as const;

/**
 * The configuration from a parsed antler.yaml and the environment over it.
 * @throws AntlerError `config_invalid` that lists every fault with its path; `details.errors` holds them one by one.
 */
export function parseConfig(document: unknown, environment: Environment): Config {
  const tree = withEnvironment(document ?? {}, environment);
  const parsed = Config.safeParse(tree);
  if (parsed.success) return parsed.data;
  const errors = withoutRepeats([...parsed.error.issues.flatMap(faultsOf), ...faultsBeside(tree)]);
  const lines = errors.map(
    ({ path, message }) => `  ${path === "" ? "(root)" : path}${sourceOf(path, environment)}: ${message}`,
  );
  throw new AntlerError("config_invalid", `Configuration is not valid:\n${lines.join("\n")}`, { details: { errors } });
}

interface PlacedFault {
  readonly path: string;
  readonly message: string;
}

/** Unknown keys are told one by one, each at its own path; a key of the wrong form with the rule that it breaks. */
function faultsOf(issue: z.core.$ZodIssue): readonly PlacedFault[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "is not a known key" }));
  }
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [{ path, message }];
}

/** A section of the wrong form hides the rules between sections; those that read only intact ones are still checked. */
function faultsBeside(tree: unknown): readonly PlacedFault[] {
  if (!isTree(tree)) return [];
  const sections = Object.entries(ConfigShape.shape).map(([name, schema]) => ({
    name,
    parsed: schema.safeParse(tree[name]),
  }));
  const intact = sections
    .filter(({ parsed }) => parsed.success)
    .map(({ name, parsed }) => [name, parsed.data] as const);
  const config = Object.fromEntries(intact) as unknown as ConfigShape;
  const faults = crossSectionFaults(config, new Set(intact.map(([name]) => name)));
  return faults.map(({ path, message }) => ({ path: path.join("."), message }));
}

function withoutRepeats(faults: readonly PlacedFault[]): readonly PlacedFault[] {
  return faults.filter(
    (fault, index) =>
      faults.findIndex(({ path, message }) => path === fault.path && message === fault.message) === index,
  );
}

function sourceOf(path: string, environment: Environment): string {
  const variable = ENVIRONMENT_VARIABLES.find((candidate) => candidate.path.join(".") === path);
  return variable !== undefined && isSet(environment[variable.name]) ? ` (from ${variable.name})` : "";
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function withEnvironment(document: unknown, environment: Environment): unknown {
  if (!isTree(document)) return document;
  const tree: Tree = { ...document };
  for (const { name, path, kind } of ENVIRONMENT_VARIABLES) {
    const text = environment[name];
    if (!isSet(text)) continue;
    const [section, key] = path;
    tree[section] = { ...(isTree(tree[section]) ? tree[section] : {}), [key]: valueOf(text, kind) };
  }
  if (tree["models"] === undefined || isEmptyList(tree["models"])) tree["models"] = modelsOf(environment);
  return tree;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function valueOf(text: string, kind: Variable["kind"]): unknown {
  if (kind === "number") return /^\d+$/.test(text) ? Number(text) : text;
  if (kind === "boolean") return z.stringbool().safeParse(text).data ?? text;
  return text;
}

function modelsOf(environment: Environment): unknown[] {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL } = environment;
  if (isSet(OPENAI_BASE_URL) || isSet(OPENAI_API_KEY)) {
    const server = isSet(OPENAI_BASE_URL) ? { base_url: OPENAI_BASE_URL } : {};
    return [{ ...modelOf("openai", isSet(OPENAI_MODEL) ? OPENAI_MODEL : "gpt-5-mini", "OPENAI_API_KEY"), ...server }];
  }
  if (!isSet(ANTHROPIC_API_KEY)) return [];
  const model = isSet(ANTHROPIC_MODEL) ? ANTHROPIC_MODEL : "claude-sonnet-4-5";
  return [modelOf("anthropic", model, "ANTHROPIC_API_KEY")];
}

function modelOf(provider: string, model: string, keyVariable: string): Tree {
  return { name: model, provider, model, api_key_env: keyVariable };
}
