import { expect, test } from "vitest";

import { runProgram } from "./child-process.ts";

const WAIT = { timeout: 20_000, interval: 10 };

test.each(["SIGTERM", "SIGINT"] as const)("%s while a service is being loaded ends it with code 0", async (signal) => {
  const run = runProgram(`
    import { runService } from "@antler/platform";
    setInterval(() => {}, 1000);
    runService(() => { process.stdout.write('{"word":"loading"}\\n'); return new Promise(() => {}); });
  `);
  await expect.poll(() => run.lines().length, WAIT).toBe(1);
  run.child.kill(signal);

  expect(await run.exited).toMatchObject({ code: 0, signal: null });
});

test("SIGTERM once the lifecycle listens drains the service", async () => {
  const run = runProgram(`
    import { createLifecycle, createLogger, delay, runService } from "@antler/platform";
    runService(async () => {
      const logger = createLogger({ service: "test", level: "info" });
      const lifecycle = createLifecycle({ logger, graceMs: 1000 });
      setInterval(() => {}, 1000);
      lifecycle.onDrain("work", async () => { await delay(50); logger.info({ word: "settled" }, "Said"); });
      lifecycle.markReady();
    });
  `);
  await expect.poll(() => run.lines().some(({ to }) => to === "ready"), WAIT).toBe(true);
  run.child.kill("SIGTERM");

  expect(await run.exited).toMatchObject({ code: 0, signal: null });
  expect(run.lines()).toContainEqual(expect.objectContaining({ word: "settled" }));
});
