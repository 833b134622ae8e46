import { describe, expect, it } from "vitest";

import { supportedRunBody, supportedThreadBody } from "../src/unsupported-options.ts";

const refusal = (option: string) =>
  expect.objectContaining({ code: "unsupported_option", details: { option } }) as Error;

describe("supportedRunBody", () => {
  it.each([
    ["webhook", { webhook: "https://example.com" }],
    ["after_seconds", { after_seconds: 5 }],
    ["interrupt_before", { interrupt_before: "*" }],
    ["interrupt_after", { interrupt_after: ["model"] }],
    ["command.update", { command: { resume: 1, update: { messages: [] } } }],
    ["command.goto", { command: { goto: ["tools"] } }],
    ["checkpoint", { checkpoint: {} }],
    ["checkpoint_id", { checkpoint_id: "c" }],
    ["feedback_keys", { feedback_keys: ["f"] }],
    ["on_completion", { on_completion: "delete" }],
    ["multitask_strategy", { multitask_strategy: "enqueue" }],
    ["durability", { durability: "exit" }],
    ["stream_mode", { stream_mode: ["values", "debug"] }],
    ["stream_mode", { stream_mode: "events" }],
    ["config.configurable.checkpoint_id", { config: { configurable: { checkpoint_id: "c" } } }],
  ])("refuses %s by name", (option, body) => {
    expect(() => supportedRunBody({ assistant_id: "lead", ...body })).toThrow(refusal(option));
  });

  it("takes null as not set", () => {
    expect(supportedRunBody({ assistant_id: "lead", webhook: null, input: null })).toEqual({ assistant_id: "lead" });
  });

  it("takes the answer of a command without its empty fields", () => {
    const command = { resume: { yes: true }, update: null, goto: null };
    expect(supportedRunBody({ assistant_id: "lead", command })).toEqual({
      assistant_id: "lead",
      command: { resume: { yes: true } },
    });
  });

  it.each([undefined, null, "text", [1]])("leaves %j to the schema", (body) => {
    expect(supportedRunBody(body)).toBe(body);
  });
});

it("refuses supersteps and ttl of threads", () => {
  expect(() => supportedThreadBody({ supersteps: [] })).toThrow(refusal("supersteps"));
  expect(() => supportedThreadBody({ ttl: { ttl: 1 } })).toThrow(refusal("ttl"));
  expect(supportedThreadBody({ metadata: {} })).toEqual({ metadata: {} });
});
