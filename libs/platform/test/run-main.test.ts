import { expect, test } from "vitest";

import { runProgram } from "./child-process.ts";

function main(body: string) {
  return runProgram(`
    import { AntlerError } from "@antler/contracts";
    import { createLifecycle, createLogger, delay, runMain, startHealthServer } from "@antler/platform";
    setInterval(() => {}, 1000);
    runMain(async () => { ${body} });
  `);
}

test("a known error ends the process with one message, its remedy and no stack", async () => {
  const run = main(`throw new AntlerError("bus_unavailable", "NATS cannot be reached at nats://a:b@h:1 (NATS_URL)");`);
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(run.stderr()).toBe(
    "bus_unavailable: NATS cannot be reached at nats://h:1 (NATS_URL)\n" +
      "Check NATS_URL and that the server runs with JetStream; the request may be repeated.\n",
  );
});

test("an unknown error ends the process with its stack", async () => {
  const run = main(`throw new TypeError("Bad shape");`);
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(run.stderr()).toMatch(/TypeError: Bad shape\n {4}at /);
});

test("an occupied port is one message", async () => {
  const run = main(`
    const isReady = () => ({ ready: true, reasons: [] });
    const { port } = await startHealthServer({ host: "127.0.0.1", port: 0, isReady });
    await startHealthServer({ host: "127.0.0.1", port, isReady });
  `);
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(run.stderr()).toMatch(/^address_in_use: .*ANTLER_HEALTH_PORT.*\n.+\n$/);
});

test("a start that a signal cuts short is no error", async () => {
  const run = main(`
    const logger = createLogger({ service: "test", level: "info" });
    const lifecycle = createLifecycle({ logger, graceMs: 100 });
    logger.info({ word: "waiting" }, "Said");
    await delay(60_000, lifecycle.draining);
  `);
  await expect.poll(() => run.stdout().includes("waiting"), { timeout: 10_000 }).toBe(true);
  run.child.kill("SIGTERM");
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(run.stderr()).toBe("");
});
