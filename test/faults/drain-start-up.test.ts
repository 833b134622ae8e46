import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { temporaryDirectory } from "../harness/temporary-directory.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A server that takes connections and never answers. */
let blackHole: Server;
beforeAll(async () => {
  blackHole = createServer().listen(0, "127.0.0.1");
  await once(blackHole, "listening");
});
afterAll(() => void blackHole.close());

const SERVICES = ["gateway", "lead-runner", "subagent-runner"] as const;

/** Starts a service whose servers never answer. */
async function startInto(name: string, directory: string) {
  const { port } = blackHole.address() as AddressInfo;
  const env = {
    PATH: process.env["PATH"],
    NATS_URL: `nats://127.0.0.1:${port}`,
    MONGODB_URL: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    OPENAI_API_KEY: "none",
    ANTLER_HTTP_PORT: "0",
    ANTLER_PARENT_PID: String(process.pid),
  };
  const main = `${root}services/${name}/src/main.ts`;
  const child = spawn(process.execPath, ["--conditions=antler-dev", main], { cwd: directory, env });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => (output.text += piece.toString()));
  const exited = once(child, "close").then(([code]) => code as number | null);
  return { child, exited, output };
}

describe("SIGTERM during start-up", { timeout: 120_000 }, () => {
  it.each(SERVICES)("ends a %s that waits for its servers with code 0, and nothing else is said", async (name) => {
    await using directory = await temporaryDirectory();
    const connected = once(blackHole, "connection");
    const { child, exited, output } = await startInto(name, directory.path);
    await connected;
    child.kill("SIGTERM");

    expect(await exited).toBe(0);
    const changes = output.text.split("\n").filter((line) => line.includes("Process changed state"));
    expect(changes.map((line) => (JSON.parse(line) as { to: string }).to)).toEqual(["draining", "stopped"]);
    expect(output.text).not.toContain("store_unavailable");
  });
});
