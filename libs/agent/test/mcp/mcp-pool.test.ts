import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { AntlerError } from "@antler/contracts";

import type { McpTools } from "../../src/mcp/mcp-pool.ts";
import { aStdioServer, call, isAlive, mcpConfig, openPool } from "./mcp-setup.ts";
import { startHttpServer } from "./servers/http-server.ts";

/** A process that says nothing and ends by itself when nobody writes to it; its id is in `pidFile`. */
const aSilentServer = (pidFile: string) => ({
  transport: "stdio",
  command: process.execPath,
  args: ["-e", "require('fs').writeFileSync(process.argv[1], String(process.pid)); process.stdin.resume()", pidFile],
});

describe("the tools of MCP servers", () => {
  it("are named by server and tool, of a process and over HTTP alike", async () => {
    await using http = await startHttpServer();
    await using opened = openPool(mcpConfig({ near: aStdioServer(), far: { transport: "http", url: http.url } }));

    await opened.inThread("t1", async (tools) => {
      expect(tools.down).toEqual([]);
      expect(tools.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["near__add", "far__add"]));
      expect(await call(tools, "near__add", { a: 1, b: 2 })).toBe("3");
      expect(await call(tools, "far__add", { a: 3, b: 4 })).toBe("7");
    });
  });

  it("belong to a session of the thread, which outlasts an execution", async () => {
    await using http = await startHttpServer();
    await using opened = openPool(mcpConfig({ near: aStdioServer(), far: { transport: "http", url: http.url } }));
    const counts = (threadId: string) =>
      opened.inThread(threadId, async (tools) => [await call(tools, "near__count"), await call(tools, "far__count")]);

    expect(await counts("t1")).toEqual(["1", "1"]);
    expect(await counts("t1")).toEqual(["2", "2"]);
    expect(await counts("t2")).toEqual(["1", "1"]);
    expect(http.sessions()).toBe(2);
  });

  it("of a server that is down are missing; those of the others are there", async () => {
    const servers = {
      near: aStdioServer(),
      gone: { transport: "http", url: "http://127.0.0.1:1/mcp" },
      absent: { transport: "stdio", command: "/nowhere/server" },
      secret: { transport: "http", url: "http://127.0.0.1:1/mcp", headers_env: { Authorization: "NO_SUCH_TOKEN" } },
    };
    await using opened = openPool(mcpConfig(servers));

    await opened.inThread("t1", async (tools) => {
      expect(tools.down.map(({ server }) => server)).toEqual(["gone", "absent", "secret"]);
      expect(tools.down[0]?.reason).toMatch(/^MCP server 'gone' cannot be reached: /);
      expect(tools.down[2]?.reason).toContain("environment variable NO_SUCH_TOKEN is not set");
      expect(await call(tools, "near__add", { a: 1, b: 2 })).toBe("3");
    });
  });

  it("a server that never answers is given up in time, and its process ended", async () => {
    const directory = await mkdtemp(join(tmpdir(), "antler-mcp-"));
    const silent = aSilentServer(join(directory, "pid"));
    await using opened = openPool(mcpConfig({ silent }, { connect_timeout_seconds: 2 }));

    const down = await opened.inThread("t1", async (tools) => tools.down);
    const pid = Number(await readFile(join(directory, "pid"), "utf8"));
    await rm(directory, { recursive: true, force: true });

    expect(isAlive(pid)).toBe(false);
    expect(down).toEqual([
      { server: "silent", reason: "MCP server 'silent' cannot be reached: no answer within 2000 ms" },
    ]);
  });

  it("are listed anew for the next execution once the server tells that they changed, and not before", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }));
    const names = (tools: McpTools) => tools.tools.map(({ name }) => name);

    await opened.inThread("t1", async (tools) => {
      await call(tools, "near__grow");
      expect(names(tools)).not.toContain("near__b");
    });

    expect(await opened.inThread("t1", async (tools) => names(tools))).toContain("near__b");
  });

  it("hand a process the named variables and no others of ours", async () => {
    const environment = { GIVEN: "1", WITHHELD: "2" };
    await using opened = openPool(mcpConfig({ near: aStdioServer({ env: ["GIVEN"] }) }), environment);
    vi.stubEnv("ANTLER_TEST_SECRET", "s");

    const names = await opened.inThread("t1", async (tools) => JSON.parse(await call(tools, "near__env")) as string[]);

    vi.unstubAllEnvs();
    const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
    expect(names.filter((name) => !inherited.includes(name))).toEqual(["GIVEN"]);
  });

  it("hand an HTTP server the headers from the environment", async () => {
    await using http = await startHttpServer();
    const far = { transport: "http", url: http.url, headers_env: { "X-Token": "FAR_TOKEN" } };
    await using opened = openPool(mcpConfig({ far }), { FAR_TOKEN: "t0ken" });

    await opened.inThread("t1", (tools) => call(tools, "far__count"));

    expect(http.headers.map((headers) => headers["x-token"])).toEqual(http.headers.map(() => "t0ken"));
  });
});

describe("a call of an MCP tool", () => {
  it("tells what the server refused", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }));

    await opened.inThread("t1", async (tools) => {
      await expect(call(tools, "near__fail")).rejects.toThrow(/the disk is full/);
      expect(await call(tools, "near__count")).toBe("1");
    });
  });

  it("ends with the execution around it", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }));
    const execution = new AbortController();

    await opened.inThread("t1", async ({ tools }) => {
      const never = tools.find(({ name }) => name === "near__never")!.tool.invoke({}, { signal: execution.signal });
      execution.abort(new AntlerError("cancelled", "Run is cancelled"));
      await expect(never).rejects.toThrow("Run is cancelled");
    });
  });

  it("ends at its time limit, and the session goes on", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer({ timeout_seconds: 0.5 }) }));

    await opened.inThread("t1", async (tools) => {
      expect(await call(tools, "near__count")).toBe("1");
      await expect(call(tools, "near__never")).rejects.toThrow(/near/);
      expect(await call(tools, "near__count")).toBe("2");
    });
  });

  it("names a server that went down, and reaches it again once it is back", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }));

    await opened.inThread("t1", async (tools) => {
      await expect(call(tools, "near__crash")).rejects.toThrow(/^MCP server 'near' cannot be reached: /);
      expect(await call(tools, "near__add", { a: 1, b: 2 })).toBe("3");
    });
  });

  it("names an HTTP server that stays down", async () => {
    await using http = await startHttpServer();
    await using opened = openPool(mcpConfig({ far: { transport: "http", url: http.url } }));

    await opened.inThread("t1", async (tools) => {
      await http.stop();
      await expect(call(tools, "far__count")).rejects.toThrow(/^MCP server 'far' cannot be reached: /);
      await expect(call(tools, "far__count")).rejects.toThrow(/^MCP server 'far' cannot be reached: /);
    });
  });

  it("gives a bounded and well-formed text", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }));

    await opened.inThread("t1", async (tools) => {
      const text = await call(tools, "near__long");
      expect(text.length).toBeLessThanOrEqual(100_000);
      expect(text.isWellFormed()).toBe(true);
      expect(await call(tools, "near__mixed")).toMatch(/^a picture\n\(content of type \w+ is not shown\)$/);
    });
  });
});

describe("sessions with MCP servers", () => {
  const pidIn = (opened: ReturnType<typeof openPool>, thread: string) =>
    opened.inThread(thread, async (tools) => Number(await call(tools, "near__pid")));
  const gone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000, interval: 20 });

  it("are closed after they have been idle", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }, { idle_seconds: 0.1 }));

    const pid = await pidIn(opened, "t1");

    await gone(pid);
    expect(await pidIn(opened, "t1")).not.toBe(pid);
  });

  it("are kept for so many idle threads only, the latest ones", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }, { max_idle_threads: 1 }));

    const first = await pidIn(opened, "t1");
    const second = await pidIn(opened, "t2");

    await gone(first);
    expect(await pidIn(opened, "t2")).toBe(second);
  });

  it("stay while they are in use", async () => {
    await using opened = openPool(mcpConfig({ near: aStdioServer() }, { max_idle_threads: 0 }));

    await opened.inThread("t1", async (tools) => {
      const pid = await pidIn(opened, "t1");
      expect(await call(tools, "near__pid")).toBe(String(pid));
    });
  });

  it("are all closed with the pool, and HTTP servers are told", async () => {
    await using http = await startHttpServer();
    const opened = openPool(mcpConfig({ near: aStdioServer(), far: { transport: "http", url: http.url } }));
    const pid = await pidIn(opened, "t1");

    await opened.pool.close();

    expect(isAlive(pid)).toBe(false);
    expect(http.sessions()).toBe(0);
  });
});
