import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type NatsServer, startNats } from "../../../test/harness/nats.ts";

const main = resolve(import.meta.dirname, "../src/main.ts");
const folder = mkdtempSync(join(tmpdir(), "antler-cli-"));
let nats: NatsServer;

beforeAll(async () => {
  nats = await startNats();
});

afterAll(async () => {
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface End {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

async function antler(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<End> {
  const child = spawn(process.execPath, ["--conditions=antler-dev", main, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], NATS_URL: nats.url, ...environment },
  });
  const exited = new Promise<number | null>((settle) => child.on("exit", settle));
  const [output, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { exitCode, output, errors };
}

function configuration(concurrency: number): string {
  const path = join(folder, `concurrency-${concurrency}.yaml`);
  writeFileSync(path, `pools: { general: { concurrency: { interactive: ${concurrency} } } }\n`);
  return path;
}

describe("antler topology apply", () => {
  it("creates what is missing, changes a concurrency live, and then has nothing to do", async () => {
    const created = await antler(["topology", "apply", "--config", configuration(2)]);
    const raised = await antler(["topology", "apply", "--config", configuration(6)]);
    const again = await antler(["topology", "apply"], { ANTLER_CONFIG: configuration(6) });

    expect(created).toMatchObject({ exitCode: 0, output: expect.stringContaining("stream TASKS created\n") as string });
    expect(raised).toEqual({
      exitCode: 0,
      output: "consumer general_interactive updated: max_ack_pending 2 → 6\n",
      errors: "",
    });
    expect(again).toMatchObject({ exitCode: 0, output: "Nothing to change: the topology is as configured\n" });
  });

  it("lists every fault of the configuration and changes nothing", async () => {
    const path = join(folder, "faulty.yaml");
    writeFileSync(path, "pools: { general: { concurrency: { interactive: none } } }\nhttp: { port: -1 }\n");

    const { exitCode, output, errors } = await antler(["topology", "apply", "--config", path]);

    expect({ exitCode, output }).toEqual({ exitCode: 1, output: "" });
    expect(errors).toMatch(/^config_invalid: /);
    expect(errors).toContain("pools.general.concurrency.interactive");
    expect(errors).toContain("http.port");
  });

  it("names NATS_URL when the server cannot be reached", async () => {
    const end = await antler(["topology", "apply"], { NATS_URL: "nats://127.0.0.1:1" });

    expect(end).toMatchObject({ exitCode: 1, output: "" });
    expect(end.errors).toMatch(/^bus_unavailable: .*NATS_URL/s);
    expect(end.errors).not.toMatch(/\n +at /);
  });

  it("says what it knows when asked for anything else", async () => {
    const end = await antler(["topology", "destroy"]);

    expect(end.exitCode).not.toBe(0);
    expect(end.errors).toMatch(/unknown command 'destroy'[^]*apply/);
  });
});
