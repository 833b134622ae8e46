import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { startEmbeddedMongo } from "../src/index.ts";
import { connect } from "./connect.ts";
import { failToStart } from "./server-process.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

it("refuses a second process on one data directory, naming the first", async () => {
  const dataDir = await createTemporaryDirectory();
  const first = await startEmbeddedMongo({ dataDir });
  onTestFinished(() => first.close());
  const second = await failToStart(dataDir);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain(`in use by process ${String(process.pid)}`);
});

it.each([
  ["a dead process", deadPid],
  ["another program that has the pid now", () => Promise.resolve(process.pid)],
])("takes over the lock of %s", async (_holder, pid) => {
  const dataDir = await createTemporaryDirectory();
  await writeFile(join(dataDir, "server.lock"), `${String(await pid())} 1`);
  const server = await startEmbeddedMongo({ dataDir });
  onTestFinished(() => server.close());
  const client = await connect(server.url);
  expect(await client.db("test").command({ ping: 1 })).toMatchObject({ ok: 1 });
});

it("gives the lock up when it is closed", async () => {
  const dataDir = await createTemporaryDirectory();
  await (await startEmbeddedMongo({ dataDir })).close();
  const again = await startEmbeddedMongo({ dataDir });
  await again.close();
  expect(again.port).toBeGreaterThan(0);
});

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}
