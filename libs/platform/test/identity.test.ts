import { expect, test } from "vitest";

import { RunId, TraceContext, traceIdOf } from "@antler/contracts";

import { childTraceContext, newId, newRunnerId, newTraceContext } from "../src/index.ts";

test("ids are UUIDs that sort by time", () => {
  const ids = Array.from({ length: 50 }, newId);
  expect(ids.every((id) => RunId.safeParse(id).success)).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
});

test("a runner id tells host and process and differs each time", () => {
  expect(newRunnerId()).toMatch(new RegExp(`^.+-${process.pid}-[0-9a-f]{4}$`));
});

test("a new trace differs from the one before", () => {
  const [one, other] = [newTraceContext(), newTraceContext()];
  expect(TraceContext.safeParse(one).success).toBe(true);
  expect(traceIdOf(one)).not.toBe(traceIdOf(other));
});

test("a child keeps trace, flags, state and baggage under a span of its own", () => {
  const parent = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-00`, tracestate: "v=1", baggage: "k=v" };
  const child = childTraceContext(parent);
  expect(child).toMatchObject({ tracestate: "v=1", baggage: "k=v" });
  expect(child.traceparent).toMatch(new RegExp(`^00-a{32}-[0-9a-f]{16}-00$`));
  expect(child.traceparent).not.toBe(parent.traceparent);
});

test("a usable incoming context is continued, any other replaced", () => {
  const incoming = { traceparent: `00-${"c".repeat(32)}-${"d".repeat(16)}-01` };
  expect(traceIdOf(newTraceContext(incoming))).toBe("c".repeat(32));
  for (const bad of [{ traceparent: "nonsense" }, { traceparent: `00-${"0".repeat(32)}-${"d".repeat(16)}-01` }, null]) {
    const { traceparent } = newTraceContext(bad);
    expect(traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  }
});
