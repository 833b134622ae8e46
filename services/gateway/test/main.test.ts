import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";

import { type MongoServer, startMongo } from "../../../test/harness/mongo.ts";
import { type NatsServer, startNats } from "../../../test/harness/nats.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { framesOf, newThread, post } from "./http-client.ts";

/** Starting a process takes long on a busy machine. */
const LIMIT = { timeout: 90_000 };
const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

let nats: NatsServer;
let mongo: MongoServer;
let directory: TemporaryDirectory;
const children: ChildProcess[] = [];

beforeAll(async () => {
  [nats, mongo, directory] = await Promise.all([startNats(), startMongo(), temporaryDirectory()]);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([nats.stop(), mongo.stop()]);
  await directory[Symbol.asyncDispose]();
});

function start(given: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = {
    PATH: process.env["PATH"],
    NATS_URL: nats.url,
    MONGODB_URL: mongo.url,
    ANTLER_DATABASE: mongo.newDatabase(),
    ANTLER_HTTP_PORT: "0",
    ANTLER_WORKSPACES_DIR: directory.path,
    ...given,
  };
  const child = spawn(process.execPath, ["--conditions=antler-dev", MAIN], { cwd: directory.path, env });
  children.push(child);
  return child;
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("The process has no output");
  for await (const line of createInterface(stdout)) {
    const { event, http_port } = JSON.parse(line) as { event?: string; http_port?: number };
    if (event === "ready") return `http://127.0.0.1:${http_port ?? 0}`;
  }
  throw new Error("The process ended before it was ready");
}

async function failureOf(given: NodeJS.ProcessEnv): Promise<{ code: unknown; text: string }> {
  const child = start(given);
  const parts: Buffer[] = [];
  child.stderr?.on("data", (part: Buffer) => parts.push(part));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, text: Buffer.concat(parts).toString() };
}

it("serves, and on SIGTERM ends its streams and itself", LIMIT, async () => {
  const child = start();
  const url = await urlOf(child);
  const threadId = await newThread(url);
  const response = await post(`${url}/threads/${threadId}/runs/stream`, { assistant_id: "lead" });
  const frames = framesOf(response);
  await frames.next();
  const ready = await fetch(`${url}/readyz`);

  child.kill("SIGTERM");
  const [last] = await Promise.all([frames.next(), once(child, "exit")]);

  expect(ready.status).toBe(200);
  expect(last.value).toMatchObject({ event: "disconnect", data: { code: "shutting_down" } });
  expect(child.exitCode).toBe(0);
});

it("names the port that another process has", LIMIT, async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;

  const { code, text } = await failureOf({ ANTLER_HTTP_PORT: `${port}` });
  other.close();

  expect(code).toBe(1);
  expect(text).toMatch(/^address_in_use: /);
  expect(text).toContain(`127.0.0.1:${port}`);
  expect(text).not.toContain("    at ");
});

it.each([
  ["an address that others can reach", { ANTLER_HTTP_HOST: "0.0.0.0" }, "config_invalid", "http.host"],
  ["no NATS", { NATS_URL: "nats://127.0.0.1:1" }, "bus_unavailable", "NATS_URL"],
  ["no MongoDB", { MONGODB_URL: "mongodb://user:hidden@127.0.0.1:1" }, "store_unavailable", "MONGODB_URL"],
])("does not start with %s, and says why", LIMIT, async (_name, given, errorCode, named) => {
  const { code, text } = await failureOf(given);

  expect(code).toBe(1);
  expect(text).toContain(`${errorCode}: `);
  expect(text).toContain(named);
  expect(text).not.toMatch(/hidden| {4}at /);
});
