import { expect, test } from "vitest";

import { delay, withDeadline } from "../src/index.ts";

test("a delay ends after its time, and with the signal's reason when that aborts", async () => {
  const startedMs = performance.now();
  await delay(30);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(28);
  const stop = new AbortController();
  const waiting = delay(60_000, stop.signal);
  const reason = new Error("Stop");
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(delay(0, stop.signal)).rejects.toBe(reason);
});

test("work within its deadline gives its result or its error", async () => {
  await expect(withDeadline(async () => 7, 1000)).resolves.toBe(7);
  await expect(withDeadline(() => Promise.reject(new Error("Own")), 1000)).rejects.toThrow("Own");
});

test("work beyond its deadline is told and not waited for", async () => {
  let told: unknown;
  const work = withDeadline((signal) => {
    signal.addEventListener("abort", () => {
      told = signal.reason;
    });
    return new Promise(() => undefined);
  }, 20);
  await expect(work).rejects.toMatchObject({ code: "deadline_exceeded" });
  expect(told).toMatchObject({ code: "deadline_exceeded" });
});

test("the outer signal ends the work with its own reason", async () => {
  const stop = new AbortController();
  const reason = new Error("Outer");
  const work = withDeadline(() => new Promise(() => undefined), 60_000, stop.signal);
  stop.abort(reason);
  await expect(work).rejects.toBe(reason);
  await expect(withDeadline(async () => 1, 60_000, stop.signal)).rejects.toBe(reason);
});
