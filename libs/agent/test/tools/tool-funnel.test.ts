import { ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { subagentTools } from "../../src/subagents/subagent-tools.ts";
import { createToolkit } from "../../src/toolkit.ts";
import { TOOL_GROUPS } from "../../src/tools/tool-catalog.ts";
import { narrowTools, toolsInScope, withoutDoubles } from "../../src/tools/tool-policy.ts";

const MCP = ["far__add", "far__count", "near__add", "near__send", "own__bash"].map((name, index) => ({
  name,
  group: ["mcp", "mcp", "net", "net", "bash"][index]!,
  tool: tool(() => "", { name, description: `Does ${name.replace("__", " ")}`, schema: z.object({}) }),
}));

const OWN = Object.keys(TOOL_GROUPS);
const ALL = [...OWN, ...MCP.map(({ name }) => name)];

const spelled = fc
  .constantFrom(...ALL, "task", "tool_search", "nothing")
  .chain((name) => fc.constantFrom(name, ` ${name}`, `${name}\t`, name.toUpperCase()));
const list = fc.array(spelled, { maxLength: 12 });
const listOrNull = fc.option(list, { nil: null });
const groups = fc.option(fc.subarray(["bash", "file:read", "file:write", "mcp", "net", "nothing"]), { nil: null });
const query = fc.oneof(
  list.map((names) => `select:${names.join(",")}`),
  fc.tuple(spelled, list).map(([first, rest]) => `+${first} ${rest.join(" ")}`),
  list.map((names) => names.join("|")),
  fc.constantFrom("a", "add", ".*", "does", "+does", "select:*"),
  fc.string({ unit: "binary" }),
);

const refusedNone = () => expect.unreachable("nothing is called");

const isSubset = (part: readonly string[], whole: readonly string[]) => part.every((name) => whole.includes(name));

describe("the tool policy", () => {
  it("only narrows, and no search in any form nor the prompt names what it left out", async () => {
    const cases = fc.record({
      groups,
      canRunCommands: fc.boolean(),
      allow: listOrNull,
      deny: list,
      skills: listOrNull,
      query,
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ allow, deny, skills, ...given }) => {
        const scope = { groups: given.groups, canRunCommands: given.canRunCommands, canFetch: true, mcp: MCP };
        const type = { tools: allow, deniedTools: deny };
        const first = toolsInScope(scope);
        const second = subagentTools(type, scope);
        const third = narrowTools(second, { allowed: skills, denied: [] });
        expect([isSubset(first, ALL), isSubset(second, first), isSubset(third, second)]).toEqual([true, true, true]);
        expect(third).not.toContain("task");
        expect(third.filter((name) => deny.some((denied) => denied.trim() === name))).toEqual([]);

        const mcp = { tools: MCP, down: [] };
        const kit = createToolkit({
          names: third,
          own: [],
          beside: [],
          mcp,
          isSearchEnabled: true,
          onRefused: refusedNone,
        });
        const search = kit.tools.find(({ name }) => name === "tool_search");
        const call = { name: "tool_search", args: { query: given.query }, id: "s1", type: "tool_call" as const };
        const answer: unknown = given.query === "" ? undefined : await search?.invoke(call);
        const texts = [...kit.sections, ToolMessage.isInstance(answer) ? answer.text : ""].join("\n");
        const outside = MCP.map(({ name }) => name).filter((name) => !third.includes(name));
        expect(outside.filter((name) => texts.includes(name))).toEqual([]);
        expect(
          isSubset(
            kit.tools.map(({ name }) => name),
            [...third, "tool_search"],
          ),
        ).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("tells null from an empty list at each stage (FC-A24)", () => {
    expect(narrowTools(ALL, { allowed: null, denied: [] })).toEqual(ALL);
    expect(narrowTools(ALL, { allowed: [], denied: [] })).toEqual([]);
    const type = { tools: null, deniedTools: [] };
    const scope = { groups: null, canRunCommands: true, canFetch: true, mcp: MCP };
    expect(subagentTools(type, scope)).toEqual(ALL);
    expect(subagentTools({ ...type, tools: [] }, scope)).toEqual([]);
  });

  it("compares composed forms of a name without outer space, and tells case", () => {
    expect(narrowTools(["caf\u00e9"], { allowed: [" cafe\u0301\n"], denied: [] })).toEqual(["caf\u00e9"]);
    expect(narrowTools(["ls"], { allowed: ["LS"], denied: [] })).toEqual([]);
    expect(narrowTools(["ls"], { allowed: null, denied: ["\tls"] })).toEqual([]);
  });

  it("keeps the first of two tools with one name, also when its group is not allowed", () => {
    const own = { name: "ls", group: "file:read" };
    expect(withoutDoubles([own], [{ name: " ls", group: "mcp" }])).toEqual([own]);
    expect(
      toolsInScope({ groups: ["mcp"], canRunCommands: true, canFetch: false, mcp: [{ name: "ls", group: "mcp" }] }),
    ).toEqual([]);
  });
});
