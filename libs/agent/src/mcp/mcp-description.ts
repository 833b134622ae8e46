import { headOf } from "@antler/contracts";

import { isDeeperThan } from "../messages/nesting.ts";
import type { ServerTool } from "./mcp-connection.ts";

/** What providers accept as the name of a tool. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const DESCRIPTION_MAX_CHARS = 4000;
const SCHEMA_MAX_CHARS = 32_768;

/** Deepest nesting of a schema: whatever writes or reads it goes down level by level. */
const SCHEMA_MAX_DEPTH = 100;

/** How JSON writes a character that is half of a pair. */
const LONE_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/i;

/** Keys below which a schema holds schemas by name, where `pattern` is a name like any other. */
const SCHEMA_MAPS: readonly string[] = ["properties", "$defs", "definitions", "dependentSchemas"];

/** What of a tool is told by its server. */
type ToldTool = Pick<ServerTool, "name" | "description" | "schema">;

export interface McpDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

/** What a server says of a tool, fit for a model's request; or why it is not. The server's words are not trusted. */
export function describeTool({ name, description, schema }: ToldTool): McpDescription | string {
  if (!NAME.test(name)) return "its name is not made of 1 to 64 letters, digits, hyphens and underscores";
  if (isDeeperThan(schema, SCHEMA_MAX_DEPTH)) return `its schema is nested deeper than ${SCHEMA_MAX_DEPTH} levels`;
  const text = JSON.stringify(schema);
  if (text.length > SCHEMA_MAX_CHARS) return `its schema is longer than ${SCHEMA_MAX_CHARS} characters`;
  if (LONE_SURROGATE.test(text)) return "its schema is not well-formed text";
  const plain = withoutPatterns(JSON.parse(text)) as Record<string, unknown>;
  return { name, description: headOf(description.toWellFormed(), DESCRIPTION_MAX_CHARS), schema: plain };
}

/** A schema without regular expressions: they come from outside, and would be run on what a model wrote. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => key !== "pattern" && key !== "patternProperties");
  return Object.fromEntries(
    kept.map(([key, value]) => [key, SCHEMA_MAPS.includes(key) ? eachWithoutPatterns(value) : withoutPatterns(value)]),
  );
}

function eachWithoutPatterns(schemas: unknown): unknown {
  if (typeof schemas !== "object" || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutPatterns(schema)]));
}
