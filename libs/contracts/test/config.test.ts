import { describe, expect, it } from "vitest";

import {
  AntlerError,
  configWarnings,
  type Environment,
  ENVIRONMENT_VARIABLES,
  isAntlerError,
  parseConfig,
} from "../src/index.ts";

const custom = { description: "Analyses", system_prompt: "You analyse." };

function faultsOf(document: unknown, environment: Environment = {}): readonly string[] {
  try {
    parseConfig(document, environment);
    return [];
  } catch (error) {
    if (!isAntlerError(error, "config_invalid")) throw error;
    return (error.details["errors"] as { path: string; message: string }[]).map(
      ({ path, message }) => `${path}: ${message}`,
    );
  }
}

function messageOf(document: unknown, environment: Environment = {}): string {
  try {
    parseConfig(document, environment);
    return "";
  } catch (error) {
    return error instanceof AntlerError ? error.message : "";
  }
}

describe("the configuration's defaults", () => {
  it("DF-C1: subagents", () => {
    expect(parseConfig(undefined, {}).subagents).toEqual({
      timeout_seconds: 1800,
      max_turns: null,
      token_budget: { enabled: true, max_tokens: null, warn_ratio: 0.7 },
      max_concurrent: 3,
      max_total_per_run: 6,
      poll_interval_seconds: 5,
      agents: {},
      custom_agents: {},
    });
  });

  it("DF-C6, DF-C11: a custom subagent has 50 turns and 900 s, whatever the global limits say", () => {
    const { subagents } = parseConfig(
      { runs: { timeout_seconds: 6000 }, subagents: { timeout_seconds: 5000, custom_agents: { analyst: custom } } },
      {},
    );

    expect(subagents.custom_agents["analyst"]).toEqual({
      ...custom,
      tools: null,
      disallowed_tools: ["task", "ask_clarification", "present_files"],
      model: "inherit",
      skills: null,
      max_turns: 50,
      timeout_seconds: 900,
      pool: "general",
    });
  });

  it("delivery, pools, streaming and limits", () => {
    expect(parseConfig({}, {})).toMatchObject({
      http: { host: "127.0.0.1", port: 8123 },
      runs: { timeout_seconds: 14_400 },
      delivery: {
        ack_wait_seconds: 15,
        lease_seconds: 12,
        renewal_seconds: 4,
        reconcile_seconds: 2,
        queue_timeout_seconds: 300,
        run_attempts: 5,
        task_attempts: 3,
        drain_grace_seconds: 60,
        max_queued: 10_000,
        max_in_flight_per_tenant: 20_000,
      },
      pools: { lead: { concurrency: { interactive: 8, batch: 8 }, slots: { interactive: 4, batch: 2 } }, bash: {} },
      sandbox: { allow_host_bash: false, upload: { max_files: 20_000, max_bytes: 1_073_741_824 } },
      skills: { dir: null, loading: "eager", tool_policy: "at_start", disabled: [] },
      streaming: { heartbeat_seconds: 15 },
    });
  });

  it("of one key of a section leave the others", () => {
    const { pools } = parseConfig({ pools: { gpu: { concurrency: { interactive: 2 } } } }, {});

    expect(pools["gpu"]).toEqual({ concurrency: { interactive: 2, batch: 8 }, slots: { interactive: 4, batch: 2 } });
    expect(Object.keys(pools)).toEqual(["lead", "checker", "general", "bash", "gpu"]);
  });

  it("DF-C19: stay the same when they are read again", () => {
    const config = parseConfig({}, {});

    expect(parseConfig(JSON.parse(JSON.stringify(config)), {})).toEqual(config);
  });
});

describe("a faulty configuration", () => {
  it.each([
    [{ subagents: { timeout_seconds: 0 } }, "subagents.timeout_seconds"],
    [{ subagents: { timeout_seconds: -1 } }, "subagents.timeout_seconds"],
    [{ subagents: { max_total_per_run: 51 } }, "subagents.max_total_per_run"],
    [{ subagents: { max_total_per_run: 0 } }, "subagents.max_total_per_run"],
    [{ subagents: { agents: { bash: { timeout_seconds: 0 } } } }, "subagents.agents.bash.timeout_seconds"],
    [{ subagents: { agents: { bash: { model: "" } } } }, "subagents.agents.bash.model"],
  ])("DF-C2: %j is told at %s", (document, path) => {
    expect(faultsOf(document)).toContainEqual(expect.stringContaining(`${path}: `));
  });

  it.each([{ max_turns: 0 }, { timeout_seconds: 0 }])("DF-C12: a custom subagent with %j", (fault) => {
    const faults = faultsOf({ subagents: { custom_agents: { analyst: { ...custom, ...fault } } } });

    expect(faults).toEqual([
      expect.stringContaining(`subagents.custom_agents.analyst.${Object.keys(fault)[0] ?? ""}: `),
    ]);
  });

  it("F4: a custom subagent needs description and prompt", () => {
    expect(faultsOf({ subagents: { custom_agents: { analyst: {} } } })).toEqual([
      expect.stringContaining("subagents.custom_agents.analyst.description: "),
      expect.stringContaining("subagents.custom_agents.analyst.system_prompt: "),
    ]);
  });

  it("F4: a built-in prompt cannot be overridden", () => {
    expect(faultsOf({ subagents: { agents: { bash: { system_prompt: "Be nice." } } } })).toEqual([
      "subagents.agents.bash.system_prompt: cannot be overridden; define a type of your own under subagents.custom_agents",
    ]);
  });

  it("is told with all its faults at once, also those between sections", () => {
    const faults = faultsOf({
      unknown: 1,
      http: { port: 70_000, colour: "red" },
      delivery: { renewal_seconds: "often" },
      sandbox: { command_timeout_seconds: 4000 },
      subagents: { custom_agents: { analyst: { ...custom, pool: "gpu", model: "nope" } } },
    });

    expect(faults.map((fault) => fault.split(":")[0]).toSorted()).toEqual([
      "delivery.renewal_seconds",
      "http.colour",
      "http.port",
      "sandbox.command_timeout_seconds",
      "subagents.custom_agents.analyst.model",
      "subagents.custom_agents.analyst.pool",
      "unknown",
    ]);
  });

  it.each([
    [{ runs: { timeout_seconds: 1000 } }, "runs.timeout_seconds: must be above every subagent's timeout (1800)"],
    [
      { runs: { timeout_seconds: 2000 }, subagents: { agents: { bash: { timeout_seconds: 3000 } } } },
      "runs.timeout_seconds: must be above every subagent's timeout (3000)",
    ],
    [
      { sandbox: { command_timeout_seconds: 1800 } },
      "sandbox.command_timeout_seconds: must be below subagents.timeout_seconds",
    ],
    [{ delivery: { lease_seconds: 20 } }, "delivery.lease_seconds: must be below delivery.ack_wait_seconds"],
    [{ delivery: { renewal_seconds: 7 } }, "delivery.renewal_seconds: must be at most half of delivery.lease_seconds"],
    [
      { subagents: { custom_agents: { analyst: { ...custom, pool: "lead" } } } },
      "subagents.custom_agents.analyst.pool: lead and checker do not take tasks",
    ],
    [
      { subagents: { agents: { bash: { model: "nope" } } } },
      'subagents.agents.bash.model: "nope" is not the name of a model in models',
    ],
    [
      { subagents: { agents: { coder: {} } } },
      "subagents.agents.coder: is neither built in (general-purpose, bash) nor under subagents.custom_agents",
    ],
    [
      { models: ["a", "a"].map((name) => ({ name, provider: "openai", model: "m" })) },
      'models.1.name: "a" is the name of another model',
    ],
    [{ pools: { "GPU 1": {} } }, "pools.GPU 1: must be 1 to 32 of a-z, 0-9 and -, beginning with a letter"],
  ])("%j: %s", (document, fault) => {
    expect(faultsOf(document)).toEqual([fault]);
  });

  it.each(["Big Skill", "../up", "a--b", "x".repeat(65)])("F6: no skill can be named %j", (name) => {
    expect(faultsOf({ skills: { disabled: [name] } })).toEqual([expect.stringContaining("skills.disabled.0: ")]);
  });

  it("DF-C8: an override with model null inherits", () => {
    expect(faultsOf({ subagents: { agents: { bash: { model: null, skills: [] } } } })).toEqual([]);
  });

  it.each([[[]], ["text"], [5]])("that is %j is not an object", (document) => {
    expect(messageOf(document)).toMatch(/^Configuration is not valid:\n {2}\(root\): /);
  });
});

describe("a configuration of which a part has no effect", () => {
  it("F4: a custom type with a built-in's name is told, with the remedy, and is no fault", () => {
    const subagents = { custom_agents: { bash: custom, analyst: custom } };

    expect(configWarnings(parseConfig({ subagents }, {}))).toEqual([
      expect.stringMatching(/^subagents\.custom_agents\.bash is ignored: .*subagents\.agents\.bash$/),
    ]);
    expect(configWarnings(parseConfig({}, {}))).toEqual([]);
  });
});

describe("the environment", () => {
  it("goes over antler.yaml", () => {
    const environment = { NATS_URL: "nats://n:1", ANTLER_HTTP_PORT: "0", ANTLER_ALLOW_HOST_BASH: "true" };
    const config = parseConfig({ nats: { url: "nats://file:1" }, http: { host: "0.0.0.0", port: 1 } }, environment);

    expect(config).toMatchObject({
      nats: { url: "nats://n:1" },
      http: { host: "0.0.0.0", port: 0 },
      sandbox: { allow_host_bash: true },
    });
  });

  it("sets every value that its table names", () => {
    const values: Record<string, string> = {
      ANTLER_HTTP_PORT: "7",
      ANTLER_HEALTH_PORT: "7",
      ANTLER_SANDBOX: "local",
      ANTLER_ALLOW_HOST_BASH: "yes",
      ANTLER_LOG_LEVEL: "warn",
    };
    const environment = Object.fromEntries(ENVIRONMENT_VARIABLES.map(({ name }) => [name, values[name] ?? "value"]));
    const config = parseConfig({}, environment) as unknown as Record<string, Record<string, unknown>>;
    const defaults = parseConfig({}, {}) as unknown as Record<string, Record<string, unknown>>;

    for (const { name, path } of ENVIRONMENT_VARIABLES) {
      const [section, key] = path;
      expect(config[section]?.[key], name).not.toEqual(defaults[section]?.[key]);
    }
  });

  it("counts for nothing where it is empty", () => {
    expect(parseConfig({}, { NATS_URL: "", OPENAI_BASE_URL: "", ANTHROPIC_API_KEY: "" })).toEqual(parseConfig({}, {}));
  });

  it.each([
    ["ANTLER_HTTP_PORT", "abc", "http.port"],
    ["ANTLER_HTTP_PORT", "-1", "http.port"],
    ["ANTLER_ALLOW_HOST_BASH", "perhaps", "sandbox.allow_host_bash"],
    ["ANTLER_SANDBOX", "docker", "sandbox.provider"],
  ])("%s=%s is told with path and variable", (name, value, path) => {
    expect(messageOf({}, { [name]: value })).toContain(`\n  ${path} (from ${name}): `);
  });

  it("names the default model when antler.yaml names none", () => {
    expect(parseConfig({ models: [] }, { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }).models).toMatchObject([
      { name: "gpt-5-mini", provider: "openai", base_url: "http://127.0.0.1:1/v1", api_key_env: "OPENAI_API_KEY" },
    ]);
    expect(parseConfig({}, { OPENAI_API_KEY: "k", OPENAI_MODEL: "m" }).models).toMatchObject([{ name: "m" }]);
    expect(parseConfig({}, { ANTHROPIC_API_KEY: "k" }).models).toMatchObject([
      { name: "claude-sonnet-4-5", provider: "anthropic", api_key_env: "ANTHROPIC_API_KEY" },
    ]);
  });

  it("leaves the models of antler.yaml alone", () => {
    const models = [{ name: "own", provider: "openai", model: "x" }];

    expect(parseConfig({ models }, { OPENAI_API_KEY: "k" }).models).toMatchObject([{ name: "own" }]);
  });

  it("never puts a key into the configuration", () => {
    const config = parseConfig({}, { OPENAI_API_KEY: "secret-1", ANTHROPIC_API_KEY: "secret-2" });

    expect(JSON.stringify(config)).not.toContain("secret-");
  });
});
