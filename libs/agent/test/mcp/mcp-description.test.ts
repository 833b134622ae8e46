import { describe, expect, it } from "vitest";

import { describeTool } from "../../src/mcp/mcp-description.ts";
import { claimedByServers, serversInGroups, serversOf } from "../../src/mcp/mcp-names.ts";
import { mcpConfig } from "./mcp-setup.ts";

const described = (over: object) =>
  describeTool({ name: "far__tool", description: "d", schema: { type: "object" }, ...over });

/** A schema of so many levels. */
function nested(levels: number): object {
  let schema: object = { type: "object" };
  for (let level = 1; level < levels; level += 1) schema = { not: schema };
  return schema;
}

describe("describeTool", () => {
  it.each([
    ["a blank in its name", { name: "far__a b" }, /letters, digits/],
    ["a letter of another alphabet", { name: "far__\u0430dd" }, /letters, digits/],
    ["too long a name", { name: `far__${"a".repeat(60)}` }, /1 to 64/],
    ["too long a schema", { schema: { description: "x".repeat(40_000) } }, /longer than 32768/],
    ["a schema of a hundred levels and one", { schema: nested(101) }, /deeper than 100 levels/],
    ["a schema that no one could write as text", { schema: nested(100_000) }, /deeper than 100 levels/],
    ["half a character in its schema", { schema: { description: "x\ud83d" } }, /not well-formed/],
  ])("leaves out a tool with %s", (_what, over, reason) => {
    expect(described(over)).toMatch(reason);
  });

  it("takes a schema of a hundred levels", () => {
    expect(described({ schema: nested(100) })).toMatchObject({ name: "far__tool" });
  });

  it("bounds a description without cutting a character in two", () => {
    const { description } = described({ description: `${"a".repeat(3999)}\u{1F600}\ud83d` }) as { description: string };

    expect(description).toBe("a".repeat(3999));
  });

  it("takes regular expressions out of a schema, and leaves a property of that name", () => {
    const text = { type: "string", pattern: "^(a+)+$" };
    const schema = {
      type: "object",
      properties: { pattern: text, list: { type: "array", items: text } },
      patternProperties: { "^(a+)+$": text },
    };

    expect(described({ schema })).toMatchObject({
      schema: {
        type: "object",
        properties: { pattern: { type: "string" }, list: { type: "array", items: { type: "string" } } },
      },
    });
    expect(JSON.stringify(described({ schema }))).not.toContain("a+");
  });
});

describe("servers of tools", () => {
  const stdio = (over: object = {}) => ({ transport: "stdio", command: "c", ...over });
  const config = mcpConfig({ near: stdio(), own: stdio({ group: "own" }), off: stdio({ enabled: false }) });

  it("are the enabled ones of the groups", () => {
    expect(serversInGroups(config, null)).toEqual(["near", "own"]);
    expect(serversInGroups(config, ["own", "other"])).toEqual(["own"]);
    expect(serversInGroups(config, [])).toEqual([]);
  });

  it("are known by the names of their tools", () => {
    const names = ["ls", "near__add", "own__x", "off__x", "other__x", "__x", "constructor__x", "near_add"];

    expect(serversOf(config, names)).toEqual(["near", "own"]);
    expect(claimedByServers(config, names)).toEqual([
      { name: "near__add", group: "mcp" },
      { name: "own__x", group: "own" },
    ]);
  });
});
