import { expect, it } from "vitest";

import { retryAfterMs } from "../../src/models/retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const refusal = (value: string) => Object.assign(new Error("429"), { headers: new Headers({ "retry-after": value }) });

it.each<[string, unknown, number]>([
  ["seconds", refusal("2"), 2000],
  ["a date", refusal("Thu, 01 Jan 2026 00:00:05 GMT"), 5000],
  ["a date that is over", refusal("Wed, 31 Dec 2025 23:59:00 GMT"), 0],
  ["more than a minute", refusal("3600"), 60_000],
  ["something else", refusal("soon"), 0],
  ["nothing", new Error("500"), 0],
  ["seconds inside another error", new Error("wrapped", { cause: refusal("1") }), 1000],
])("reads how long to wait from %s", (_what, error, expected) => {
  expect(retryAfterMs(error, now)).toBe(expected);
});
