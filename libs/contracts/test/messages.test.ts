import { describe, expect, it } from "vitest";
import type { z } from "zod";

import {
  EventsSignal,
  SubagentEnd,
  SubagentStart,
  SubagentStep,
  TaskEnvelope,
  TraceContext,
  traceIdOf,
} from "../src/index.ts";
import { readGolden } from "./golden-file.ts";

const schemas: readonly (readonly [string, z.ZodType])[] = [
  ["task-envelope.v1", TaskEnvelope],
  ["subagent-start.v1", SubagentStart],
  ["subagent-step.v1", SubagentStep],
  ["subagent-end.v1", SubagentEnd],
];

describe("stored messages", () => {
  it.each(schemas)("read %s as it was written", (name, schema) => {
    const { value } = readGolden(name);

    expect(schema.parse(value)).toEqual(value);
  });

  it.each(schemas)("of %s survive a field that a newer version adds", (name, schema) => {
    const { value } = readGolden(name);

    expect(schema.parse({ ...value, later: { nested: true } })).toEqual(value);
  });
});

describe("a task envelope", () => {
  it("is refused without the tenant", () => {
    const { value } = readGolden("task-envelope.v1");
    const identity = { ...(value["identity"] as object), tenant_id: "" };

    expect(TaskEnvelope.safeParse({ ...value, identity }).success).toBe(false);
  });

  it.each(["true", 1, undefined])("is refused when is_internal is %s and not a boolean (DF-T27)", (flag) => {
    const { value } = readGolden("task-envelope.v1");
    const identity = { ...(value["identity"] as object), is_internal: flag };

    expect(TaskEnvelope.safeParse({ ...value, identity }).success).toBe(false);
  });

  it("is refused when a newer version wrote it", () => {
    expect(TaskEnvelope.safeParse({ ...readGolden("task-envelope.v1").value, version: 2 }).success).toBe(false);
  });
});

describe("a trace context", () => {
  it("gives the id of its trace", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    expect(traceIdOf(TraceContext.parse({ traceparent }))).toBe("0af7651916cd43dd8448eb211c80319c");
  });

  it.each(["", "00-0AF7-x-01", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])(
    "refuses the header %j",
    (traceparent) => {
      expect(TraceContext.safeParse({ traceparent }).success).toBe(false);
    },
  );
});

describe("an events signal", () => {
  it("carries events, or only their last number", () => {
    expect(EventsSignal.parse({ seq: 3 })).toEqual({ seq: 3 });
    expect(EventsSignal.safeParse({ seq: 0 }).success).toBe(false);
    expect(EventsSignal.parse({ events: [] })).toEqual({ events: [] });
  });
});
