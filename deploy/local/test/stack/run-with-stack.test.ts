import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { groupMembers } from "../harness/group-members.ts";
import { type RunningStack, runStack, type StackStart } from "../harness/running-stack.ts";

let folder: string;
let stacks: RunningStack[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "antler-stack-"));
  stacks = [];
});

afterEach(async () => {
  for (const stack of stacks) stack.signal("SIGKILL");
  await Promise.all(stacks.map((stack) => stack.ended));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function run(services: readonly string[], environment?: NodeJS.ProcessEnv): RunningStack {
  const stack = runStack(folder, services, environment);
  stacks.push(stack);
  return stack;
}

function living({ processes }: StackStart): readonly string[] {
  return processes.filter(({ pid }) => groupMembers(pid).length > 0).map(({ name }) => name);
}

describe("a running stack", () => {
  it("runs NATS, the model stand-in and each service as processes of their own", async () => {
    const { processes, url } = await run(["service.ts", "service.ts"]).started;

    expect(processes.map(({ name }) => name).toSorted()).toEqual(["gateway", "model-stand-in", "nats", "service-1"]);
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(4);
    expect(url).toBe(`http://127.0.0.1:${processes.find(({ name }) => name === "gateway")?.port ?? 0}`);
  });

  it("tells the services where everything is", async () => {
    const stack = run(["service.ts"]);
    const { url, processes } = await stack.started;

    const { environment } = (await (await fetch(url)).json()) as { environment: NodeJS.ProcessEnv };

    const port = (name: string): number => processes.find((running) => running.name === name)?.port ?? 0;
    expect(environment).toMatchObject({
      NATS_URL: `nats://127.0.0.1:${port("nats")}`,
      MONGODB_URL: "mongodb://127.0.0.1:1",
      OPENAI_BASE_URL: `http://127.0.0.1:${port("model-stand-in")}/v1`,
      OPENAI_API_KEY: "replayed",
      ANTLER_HTTP_HOST: "127.0.0.1",
      ANTLER_WORKSPACES_DIR: join(folder, "workspaces"),
      ANTLER_PARENT_PID: String(stack.pid),
    });
  });

  it("answers with words that say that they are replayed", async () => {
    const { processes } = await run(["service.ts"]).started;
    const port = processes.find(({ name }) => name === "model-stand-in")?.port ?? 0;

    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer replayed" },
      body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hello" }] }),
    });

    expect(await answer.text()).toContain("replayed answer");
  });

  it("leaves the model to a provider that the environment names", async () => {
    const { processes, url } = await run(["service.ts"], { OPENAI_API_KEY: "theirs" }).started;

    const { environment } = (await (await fetch(url)).json()) as { environment: NodeJS.ProcessEnv };

    expect(processes.map(({ name }) => name)).not.toContain("model-stand-in");
    expect(environment["OPENAI_API_KEY"]).toBe("theirs");
  });

  it("keeps the gateway's port when it is killed and started again", async () => {
    const { url, processes } = await run(["service.ts"]).started;

    process.kill(processes.find(({ name }) => name === "gateway")!.pid, "SIGKILL");

    await expect.poll(() => answeringPid(url), { timeout: 10_000 }).toBeGreaterThan(0);
  });

  it("names the pid and URL of the first to a second start in the same folder", async () => {
    const first = run(["service.ts"]);
    const { url } = await first.started;
    const second = run(["service.ts"]);

    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain(`at ${url} (pid ${first.pid})`);
  });

  it("stops in order on Ctrl-C and exits 130", async () => {
    const stack = run(["service.ts"]);
    const start = await stack.started;

    stack.signal("SIGINT");

    expect(await stack.ended).toBe(130);
    expect(living(start)).toEqual([]);
    expect(readFileSync(join(folder, "logs/gateway.log"), "utf8")).toContain("drained");
  });

  it("takes two signals of one Ctrl-C for one", async () => {
    const stack = run(["service.ts"]);
    await stack.started;

    stack.signal("SIGINT");
    stack.signal("SIGINT");

    expect(await stack.ended).toBe(130);
    expect(readFileSync(join(folder, "logs/gateway.log"), "utf8")).toContain("drained");
  });

  it("ends everything within a second of the second Ctrl-C", async () => {
    const stack = run(["stubborn-service.ts"]);
    const start = await stack.started;
    stack.signal("SIGINT");
    await expect.poll(() => readFileSync(join(folder, "logs/gateway.log"), "utf8")).toContain("asked to end");
    await afterSameInterrupt();
    const startedAt = performance.now();

    stack.signal("SIGINT");

    expect(await stack.ended).toBe(130);
    await expect.poll(() => living(start), { timeout: 1000 }).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("leaves nothing alive 5 s after kill -9, and the next start continues", async () => {
    const first = run(["service.ts", "stubborn-service.ts"]);
    const start = await first.started;

    first.signal("SIGKILL");

    await expect.poll(() => living(start), { timeout: 5000 }).toEqual([]);
    await expect(run(["service.ts"]).started).resolves.toHaveProperty("url");
  });

  it("ends what a killed supervisor left before it starts on the same data", async () => {
    const first = run(["stubborn-service.ts"]);
    const start = await first.started;
    first.signal("SIGKILL");
    await first.ended;

    await run(["service.ts"]).started;

    expect(living(start)).toEqual([]);
  });

  it("starts nothing when a service cannot start, and says why", async () => {
    const stack = run(["service.ts", "broken-service.ts"]);

    expect(await stack.ended).toBe(1);
    expect(stack.errors()).toMatch(/service-1 ended with exit code 3 [\s\S]*nats\.url is not a URL/);
    await expect(run(["service.ts"]).started).resolves.toHaveProperty("url");
  });
});

/** Two signals within 200 ms are one Ctrl-C. */
async function afterSameInterrupt(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 250));
}

async function answeringPid(url: string): Promise<number> {
  try {
    return ((await (await fetch(url)).json()) as { pid: number }).pid;
  } catch {
    return 0;
  }
}
