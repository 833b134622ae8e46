import { expect, test } from "vitest";

import { type ChildRun, runProgram } from "./child-process.ts";

const WAIT = { timeout: 10_000, interval: 10 };

/** A service whose steps are the given code; `say` writes a word that the test can read. */
function service(body: string, graceMs = 400): ChildRun {
  return runProgram(`
    import { announceReady, createLifecycle, createLogger, delay } from "@antler/platform";
    const logger = createLogger({ service: "test", level: "info" });
    const lifecycle = createLifecycle({ logger, graceMs: ${graceMs} });
    const say = (word) => logger.info({ word }, "Said");
    const alive = setInterval(() => {}, 1000);
    ${body}
  `);
}

function words({ lines }: ChildRun): unknown[] {
  return lines().flatMap(({ word }) => (word === undefined ? [] : [word]));
}

async function ready(run: ChildRun): Promise<void> {
  await expect.poll(() => words(run).includes("up"), WAIT).toBe(true);
}

const UP = `lifecycle.markReady(); say("up");`;

test.each(["SIGTERM", "SIGINT"] as const)("%s runs the steps in order of registration and exits 0", async (signal) => {
  const run = service(`
    lifecycle.onDrain("pulling", async () => { await delay(30); say("pulling"); });
    lifecycle.onDrain("store", async () => { say("store:" + lifecycle.state + ":" + lifecycle.isReady); });
    lifecycle.draining.addEventListener("abort", () => say("draining:" + lifecycle.draining.reason.code));
    say(lifecycle.state); ${UP} say(lifecycle.state);
  `);
  await ready(run);
  run.child.kill(signal);
  expect(await run.exited).toMatchObject({ code: 0, signal: null });
  expect(words(run)).toEqual(["starting", "up", "ready", "draining:drained", "pulling", "store:draining:false"]);
  const changes = run.lines().filter(({ msg }) => msg === "Process changed state");
  expect(changes).toMatchObject([
    { from: "starting", to: "ready" },
    { from: "ready", to: "draining", reason: signal },
    { from: "draining", to: "stopped", exit_code: 0 },
  ]);
});

test("work may go on until the grace is over; then the cutoff aborts it", async () => {
  const run = service(
    `
    lifecycle.onDrain("work", async (cutoff) => {
      say("before:" + cutoff.aborted);
      await delay(60_000, cutoff).catch(() => say("cut"));
    });
    lifecycle.onDrain("close", async (cutoff) => say("close:" + cutoff.aborted));
    ${UP}
  `,
    300,
  );
  await ready(run);
  const startedMs = performance.now();
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290);
  expect(words(run)).toEqual(["up", "before:false", "cut", "close:true"]);
});

test("a second signal changes nothing", async () => {
  const run = service(`
    lifecycle.onDrain("work", async (cutoff) => { say("draining"); await delay(60_000, cutoff).catch(() => say("cut")); });
    ${UP}
  `);
  await ready(run);
  run.child.kill("SIGTERM");
  await expect.poll(() => words(run).includes("draining"), WAIT).toBe(true);
  run.child.kill("SIGTERM");
  run.child.kill("SIGINT");
  expect(await run.exited).toMatchObject({ code: 0, signal: null });
  expect(words(run)).toEqual(["up", "draining", "cut"]);
});

test("a failing step stops none of the others and shows in the exit code", async () => {
  const run = service(`
    lifecycle.onDrain("bad", async () => { throw new Error("Step fault"); });
    lifecycle.onDrain("good", async () => say("good"));
    ${UP}
  `);
  await ready(run);
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(words(run)).toEqual(["up", "good"]);
  expect(run.lines()).toContainEqual(expect.objectContaining({ level: "error", step: "bad" }));
});

test("a step that ignores the cutoff is left behind", async () => {
  const run = service(
    `
    lifecycle.onDrain("stuck", () => new Promise(() => {}));
    lifecycle.onDrain("after", async () => say("after"));
    ${UP}
  `,
    50,
  );
  await ready(run);
  run.child.kill("SIGTERM");
  const { code } = await run.exited;
  expect(code).toBe(1);
  expect(words(run)).toEqual(["up", "after"]);
});

test("a signal before readiness drains as well, and readiness never comes then", async () => {
  const run = service(`
    lifecycle.onDrain("step", async () => say("step"));
    say("up");
    lifecycle.draining.addEventListener("abort", () => { lifecycle.markReady(); say(lifecycle.state); });
  `);
  await ready(run);
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(words(run)).toEqual(["up", "draining", "step"]);
});

test.each([
  ["exception", `setTimeout(() => { throw new Error("Boom"); }, 1);`],
  ["rejection", `Promise.reject(new Error("Boom"));`],
])("an uncaught %s is logged as fatal, drains and exits 1", async (_name, fault) => {
  const run = service(`lifecycle.onDrain("step", async () => say("step")); ${UP} ${fault}`, 60_000);
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(words(run)).toEqual(["up", "step"]);
  const fatal = run.lines().find(({ level }) => level === "fatal");
  expect(fatal).toMatchObject({ msg: "Uncaught error", err: { message: "Boom" } });
});

test("an uncaught error during a drain shows in the exit code", async () => {
  const run = service(`
    lifecycle.onDrain("step", async () => { setTimeout(() => { throw new Error("Boom"); }, 1); await delay(100); });
    ${UP}
  `);
  await ready(run);
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 1 });
});

test("what is closed is closed in order after the work; one that hangs is left behind and costs no exit code", async () => {
  const run = service(
    `
    lifecycle.onDrain("work", async () => say("work"));
    lifecycle.onClose("bus", () => new Promise(() => {}));
    lifecycle.onClose("store", async () => { say("store"); throw new Error("Gone already"); });
    lifecycle.onClose("health", async () => say("health"));
    ${UP}
  `,
    60_000,
  );
  await ready(run);
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(words(run)).toEqual(["up", "work", "store", "health"]);
  expect(run.lines().filter(({ level }) => level === "warn")).toMatchObject([{ step: "bus" }, { step: "store" }]);
});

test("flushes come last, at the same time, and are bounded by 2 s together [FC-F04]", async () => {
  const run = service(`
    const blackHole = () => new Promise(() => {});
    lifecycle.onFlush("traces", (limit) => { say("traces"); limit.addEventListener("abort", () => say("limit")); return blackHole(); });
    lifecycle.onFlush("metrics", () => { say("metrics"); return blackHole(); });
    lifecycle.onFlush("logs", async () => { say("logs"); throw new Error("The collector is down"); });
    lifecycle.onDrain("work", async () => { await delay(50); say("settled"); });
    ${UP}
  `);
  await ready(run);
  const startedMs = performance.now();
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 0, signal: null });
  const tookMs = performance.now() - startedMs;
  expect(words(run)).toEqual(["up", "settled", "traces", "metrics", "logs", "limit"]);
  expect(tookMs).toBeGreaterThanOrEqual(2000);
  expect(tookMs).toBeLessThan(3500);
  const warned = run.lines().filter(({ level }) => level === "warn");
  expect(warned.map(({ flush }) => flush).toSorted()).toEqual(["logs", "metrics", "traces"]);
});
