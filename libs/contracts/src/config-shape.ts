import { z } from "zod";

import { LeadTokenBudget, LoopDetectionConfig, SummarizationConfig } from "./config-guards.ts";
import { PoolsConfig } from "./config-pools.ts";
import { SkillsConfig } from "./config-skills.ts";
import { SubagentsConfig } from "./config-subagents.ts";
import { ToolOutputConfig } from "./config-tool-output.ts";
import { ToolsConfig } from "./config-tools.ts";
import { WebFetchConfig } from "./config-web-fetch.ts";

const seconds = (min: number, max: number, fallback: number) => z.number().min(min).max(max).default(fallback);

const HttpConfig = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe("Address the gateway binds: loopback only in this version; put an authenticating proxy before it"),
    port: z.int().min(0).max(65_535).default(8123).describe("Port of the gateway; 0 takes a free one"),
    health_host: z.string().min(1).default("127.0.0.1").describe("Address of the other services' health server"),
    health_port: z
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .describe("Port of the other services' health server; 0 takes a free one"),
    max_body_bytes: z
      .int()
      .min(1024)
      .default(4 * 1024 ** 2)
      .describe("Largest JSON body"),
    drain_notice_seconds: seconds(0, 300, 1).describe(
      "How long the gateway goes on serving after SIGTERM, not ready any more, before it takes no connection",
    ),
  })
  .prefault({});

const ModelConfig = z.strictObject({
  name: z.string().min(1).describe("Name by which runs and subagents choose it"),
  provider: z
    .string()
    .min(1)
    .describe("openai (also for compatible servers), anthropic, or another provider of langchain's initChatModel"),
  model: z.string().min(1).describe("The provider's name of the model"),
  base_url: z.url().optional().describe("Base URL of an OpenAI-compatible server"),
  api_key_env: z
    .string()
    .min(1)
    .optional()
    .describe("Environment variable that holds the key; the key itself never stands here"),
  temperature: z.number().min(0).max(2).optional().describe("Sampling temperature; the provider's own when absent"),
  max_tokens: z.int().min(1).optional().describe("Most output tokens of one call"),
  context_window: z
    .int()
    .min(1)
    .optional()
    .describe("Tokens of a request and its answer together; longer conversations are shortened in the request"),
  timeout_seconds: seconds(1, 3600, 600).describe("Longest single model call"),
  max_retries: z
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe("Retries of one call on overload, rate limit and connection errors"),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

const DeliveryConfig = z
  .strictObject({
    ack_wait_seconds: seconds(1, 3600, 15).describe("Silence after which the bus delivers a ticket again"),
    lease_seconds: seconds(1, 3600, 12).describe("Silence after which a ledger row may be claimed anew"),
    renewal_seconds: seconds(0.2, 600, 4).describe("How often a worker renews its lease and reads the cancel mark"),
    reconcile_seconds: seconds(0.1, 600, 2).describe("How often the reconciler looks for stranded rows"),
    queue_timeout_seconds: seconds(1, 86_400, 300).describe("Longest wait of a run or task for a free worker"),
    max_queued: z.int().min(1).default(10_000).describe("Most waiting runs or tasks of a lane"),
    max_in_flight_per_tenant: z
      .int()
      .min(1)
      .default(20_000)
      .describe("Most runs of a tenant that have not ended, waiting or running"),
    run_attempts: z.int().min(1).max(100).default(5).describe("Most executions of a run whose workers die"),
    task_attempts: z.int().min(1).max(100).default(3).describe("Most executions of a task whose workers die"),
    drain_grace_seconds: seconds(0, 3600, 60).describe("How long running work may go on after SIGTERM"),
  })
  .prefault({});
export type DeliveryConfig = z.infer<typeof DeliveryConfig>;

const UploadConfig = z
  .strictObject({
    max_files: z.int().min(1).default(20_000).describe("Most files of a workspace upload"),
    max_bytes: z
      .int()
      .min(1)
      .default(1024 ** 3)
      .describe("Most bytes of a workspace upload"),
  })
  .prefault({});

const SandboxConfig = z
  .strictObject({
    provider: z
      .enum(["auto", "bubblewrap", "local"])
      .default("auto")
      .describe("auto takes bubblewrap when its probe passes"),
    allow_host_bash: z.boolean().default(false).describe("Let the local provider run commands unisolated on this host"),
    workspaces_dir: z.string().min(1).default(".antler/workspaces").describe("Where the workspaces of threads lie"),
    command_timeout_seconds: seconds(1, 86_400, 600).describe("Longest command of the bash tool"),
    upload: UploadConfig,
  })
  .prefault({});
export type SandboxConfig = z.infer<typeof SandboxConfig>;

const StreamingConfig = z
  .strictObject({
    heartbeat_seconds: seconds(0.1, 300, 15).describe("How often an open stream sends a comment"),
    client_buffer_bytes: z
      .int()
      .min(1024)
      .default(1024 ** 2)
      .describe("Unread bytes after which a slow reader is dropped"),
  })
  .prefault({});

/** All sections, each checked by itself. */
export const ConfigShape = z.strictObject({
  http: HttpConfig,
  nats: z
    .strictObject({ url: z.string().min(1).default("nats://127.0.0.1:4222").describe("NATS server with JetStream") })
    .prefault({}),
  mongodb: z
    .strictObject({
      url: z.string().min(1).default("mongodb://127.0.0.1:27017").describe("MongoDB server"),
      database: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,63}$/)
        .default("antler")
        .describe("Database that holds ledgers, event logs and checkpoints"),
    })
    .prefault({}),
  models: z.array(ModelConfig).default([]).describe("The first is the default; empty takes one from the environment"),
  pools: PoolsConfig,
  runs: z
    .strictObject({
      timeout_seconds: seconds(1, 604_800, 14_400).describe("Longest execution of a run"),
      max_model_calls: z
        .int()
        .min(1)
        .max(100_000)
        .default(500)
        .describe("Most model calls of a lead in one run; a run's config.recursion_limit may only lower it"),
      token_budget: LeadTokenBudget.describe("Tokens that a lead may use in one execution of a run"),
    })
    .prefault({}),
  subagents: SubagentsConfig,
  loop_detection: LoopDetectionConfig,
  summarization: SummarizationConfig,
  tools: ToolsConfig,
  tool_output: ToolOutputConfig,
  web_fetch: WebFetchConfig,
  skills: SkillsConfig,
  delivery: DeliveryConfig,
  sandbox: SandboxConfig,
  streaming: StreamingConfig,
  telemetry: z
    .strictObject({
      trust_incoming: z.boolean().default(false).describe("Continue the trace of the caller instead of a new one"),
    })
    .prefault({}),
  logging: z
    .strictObject({
      level: z.enum(["trace", "debug", "info", "warn", "error"]).default("info").describe("Least level that is logged"),
    })
    .prefault({}),
});
export type ConfigShape = z.output<typeof ConfigShape>;
