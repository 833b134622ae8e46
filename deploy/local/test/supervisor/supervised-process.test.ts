import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { processStart } from "../../folder-lock.mjs";
import { openProcessLog } from "../../src/supervisor/process-log.ts";
import type { ProcessSpec } from "../../src/supervisor/process-spec.ts";
import { readyByLogLine } from "../../src/supervisor/readiness.ts";
import { supervise, type SupervisedProcess } from "../../src/supervisor/supervised-process.ts";
import { groupMembers } from "../harness/group-members.ts";

const fixtures = resolve(import.meta.dirname, "../fixtures");
let folder: string;
let running: SupervisedProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "antler-supervised-"));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((each) => each.stop(0)));
  rmSync(folder, { recursive: true, force: true });
});

async function start(main: string, spec: Partial<ProcessSpec> = {}): Promise<SupervisedProcess> {
  const started = await supervise(
    {
      name: "service",
      readyWithinMs: 20_000,
      command: (port = 0) => ({
        file: process.execPath,
        args: [join(fixtures, main)],
        cwd: folder,
        environment: { ...process.env, ANTLER_HTTP_PORT: String(port) },
      }),
      ready: readyByLogLine,
      ...spec,
    },
    {
      log: openProcessLog({ folder, name: "service", say: undefined }),
      onChange: () => undefined,
      signal: new AbortController().signal,
    },
  );
  running.push(started);
  return started;
}

function readLog(): string {
  return readFileSync(join(folder, "service.log"), "utf8");
}

describe("supervise", () => {
  it("starts a killed process again on the same port", async () => {
    const service = await start("service.ts");
    const before = service.snapshot();

    process.kill(before.pid!, "SIGKILL");

    await expect.poll(() => service.snapshot().restarts, { timeout: 10_000 }).toBe(1);
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${before.port}`).then(
            (answer) => answer.ok,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    expect(service.snapshot().pid).not.toBe(before.pid);
  });

  it("asks a process to end and lets it drain", async () => {
    const service = await start("service.ts");

    await service.stop(10_000);

    expect(service.snapshot().pid).toBeUndefined();
    expect(readLog()).toContain("drained");
  });

  it("leaves a process that drains what it has started, and ends that with it", async () => {
    const service = await start("service-with-helper.ts");
    const { pid } = service.snapshot();

    await service.stop(10_000);

    expect(readLog()).toContain("drained with its helper");
    await expect.poll(() => groupMembers(pid!)).toEqual([]);
  });

  it("kills what ignores the request, with everything in its process group", async () => {
    const service = await start("stubborn-service.ts");
    const { pid } = service.snapshot();

    await service.stop(100);

    await expect.poll(() => groupMembers(pid!)).toEqual([]);
  });

  it("says why a process did not become ready, with the end of its log", async () => {
    await expect(start("broken-service.ts")).rejects.toThrow(
      /service ended with exit code 3 before it was ready; its log is .*service\.log and ends with:\n {2}The field nats\.url/,
    );
  });

  it("gives up on a process that is not ready in time, and ends it", async () => {
    let pid: number | undefined;
    const ready: ProcessSpec["ready"] = (launched, signal) => {
      pid = launched.pid;
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    };

    await expect(start("service.ts", { ready, readyWithinMs: 50 })).rejects.toThrow("not ready within 0.05 s");

    await expect.poll(() => processStart(pid!)).toBeUndefined();
  });

  it("says that a program cannot be started", async () => {
    const command = () => ({ file: join(folder, "missing"), args: [], cwd: folder, environment: {} });

    await expect(start("", { command })).rejects.toThrow("could not be started");
  });
});
