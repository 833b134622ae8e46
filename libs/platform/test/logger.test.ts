import { expect, test } from "vitest";

import { AntlerError } from "@antler/contracts";

import { announceReady, createLogger, type LogLevel, withoutCredentials } from "../src/index.ts";

function recorder(level: LogLevel = "info") {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ service: "gateway", level, destination: { write } }) };
}

test("writes one JSON line with service, pid, level, time and message", () => {
  const { lines, logger } = recorder();
  logger.info({ run_id: "r1" }, "Run started");
  logger.child({ lane: "batch" }).warn({}, "Slow");
  expect(lines).toMatchObject([
    { service: "gateway", pid: process.pid, level: "info", run_id: "r1", msg: "Run started" },
    { service: "gateway", level: "warn", lane: "batch", msg: "Slow" },
  ]);
  expect(Date.parse(String(lines[0]?.["time"]))).toBeGreaterThan(0);
});

test("leaves out what is below the level, and announces readiness at every level", () => {
  const { lines, logger } = recorder("error");
  logger.info({}, "Not written");
  announceReady(logger, { httpPort: 8123 });
  expect(lines).toMatchObject([{ event: "ready", http_port: 8123 }]);
});

test("keeps secrets out, however deep they lie", () => {
  const { lines, logger } = recorder();
  const secret = "hunter2-secret";
  logger.child({ authorization: `Bearer ${secret}` }).info(
    {
      api_key: secret,
      request: { headers: { Authorization: secret, "x-api-key": secret, cookie: [secret] } },
      models: [{ apiKey: secret, client_secret: secret, access_token: secret }],
      password: secret,
      tokens: 17,
      nested: { err: new AntlerError("internal", "Failed", { details: { password: secret } }) },
    },
    "Call",
  );
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(lines[0]).toMatchObject({ tokens: 17, api_key: "[redacted]" });
});

test("takes credentials out of URLs in every text, also in errors", () => {
  const { lines, logger } = recorder();
  const url = "mongodb://root:pa%3Ass@db:27017/antler?x=1";
  logger.error({ url, err: new Error(`No answer from ${url}`) }, `Cannot reach ${url}`);
  expect(JSON.stringify(lines)).not.toContain("pa%3Ass");
  expect(lines[0]).toMatchObject({ url: "mongodb://db:27017/antler?x=1" });
});

test("errors keep code, stack and causes", () => {
  const { lines, logger } = recorder();
  const cause = new TypeError("Bad shape");
  logger.error({ err: new AntlerError("internal", "Failed", { cause, details: { id: 1 } }) }, "Handler failed");
  expect(lines[0]?.["err"]).toMatchObject({
    type: "AntlerError",
    code: "internal",
    message: "Failed",
    details: { id: 1 },
    cause: { type: "TypeError", message: "Bad shape" },
    stack: expect.stringContaining("AntlerError: Failed") as string,
  });
});

test("survives fields that refer to themselves", () => {
  const { lines, logger } = recorder();
  const circle: Record<string, unknown> = { name: "circle" };
  circle["self"] = circle;
  logger.info({ circle }, "Circle");
  expect(lines).toHaveLength(1);
});

test.each([
  ["nats://user:pass@host:4222", "nats://host:4222"],
  ["nats://token@host", "nats://host"],
  ["mongodb://a:b@h1:1,h2:2/db", "mongodb://h1:1,h2:2/db"],
  ["at nats://a:b@one:1,nats://c:d@two:2 (NATS_URL)", "at nats://one:1,nats://two:2 (NATS_URL)"],
  ["https://host/path?to=a@b", "https://host/path?to=a@b"],
  ["mail a@b", "mail a@b"],
  ["mongodb://user:p@ss@host/db", "mongodb://host/db"],
])("prints %j as %j", (text, expected) => {
  expect(withoutCredentials(text)).toBe(expected);
});

test("reads long texts without URLs in no time", () => {
  const startedMs = performance.now();
  withoutCredentials("a".repeat(500_000));
  expect(performance.now() - startedMs).toBeLessThan(1000);
});
