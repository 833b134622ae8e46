import { describe, expect, it } from "vitest";

import { linesOf } from "../src/topology-lines.ts";

describe("the lines of antler topology apply", () => {
  it("say what changed, from what to what", () => {
    expect(
      linesOf([
        { kind: "stream", name: "TASKS", action: "created", settings: {} },
        {
          kind: "consumer",
          name: "general_interactive",
          action: "updated",
          settings: {
            max_ack_pending: { from: 2, to: 6 },
            ack_wait: { from: 15e9, to: 30e9 },
            description: { from: undefined, to: "x" },
          },
        },
      ]),
    ).toEqual([
      "stream TASKS created",
      'consumer general_interactive updated: max_ack_pending 2 → 6, ack_wait 15 s → 30 s, description unset → "x"',
    ]);
  });

  it("say so when nothing had to change", () => {
    expect(linesOf([])).toEqual(["Nothing to change: the topology is as configured"]);
  });
});
