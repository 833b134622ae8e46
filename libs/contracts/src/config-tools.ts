import { z } from "zod";

import { Name } from "./ids.ts";

const seconds = (min: number, max: number, fallback: number) => z.number().min(min).max(max).default(fallback);
const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")
  .describe("Name of an environment variable");

const server = {
  enabled: z.boolean().default(true).describe("Whether agents are given the server's tools"),
  group: z.string().min(1).default("mcp").describe("Tool group of the server's tools"),
  timeout_seconds: seconds(0.1, 86_400, 60).describe("Longest call of one of its tools"),
};

const StdioServer = z.strictObject({
  transport: z.literal("stdio").describe("A process that is started beside the runner, outside the sandbox"),
  command: z.string().min(1).describe("Program to start"),
  args: z.array(z.string()).default([]).describe("Its arguments"),
  env: z
    .array(VariableName)
    .default([])
    .describe("Environment variables handed to it beside HOME, LOGNAME, PATH, SHELL, TERM and USER"),
  ...server,
});

const HttpServer = z.strictObject({
  transport: z.literal("http").describe("A server that speaks streamable HTTP"),
  url: z.url({ protocol: /^https?$/ }).describe("Its address"),
  headers_env: z
    .record(z.string().min(1), VariableName)
    .default({})
    .describe("Header to the environment variable that holds its whole value; the value itself never stands here"),
  ...server,
});

/** A server of MCP tools; its tools are named `<server>__<tool>`. */
export const McpServerConfig = z.discriminatedUnion("transport", [StdioServer, HttpServer]);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

const McpConfig = z
  .strictObject({
    connect_timeout_seconds: seconds(0.1, 600, 10).describe("How long a server may take to connect and list its tools"),
    idle_seconds: seconds(0.1, 86_400, 300).describe("How long the sessions of a thread outlast its last execution"),
    max_idle_threads: z.int().min(0).default(32).describe("Most threads whose sessions a process keeps while idle"),
    servers: z.record(Name, McpServerConfig).default({}).describe("Servers by name; tools are named server__tool"),
  })
  .prefault({});
export type McpConfig = z.infer<typeof McpConfig>;

/** The tools of agents beside the built-in ones. */
export const ToolsConfig = z
  .strictObject({
    tool_search: z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe("Hide the schemas of MCP tools until the model asks for them with the tool tool_search"),
      })
      .prefault({}),
    mcp: McpConfig,
  })
  .prefault({});
export type ToolsConfig = z.infer<typeof ToolsConfig>;
