import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { OUTPUT_MAX_CHARS } from "../src/index.ts";
import type { Fixture } from "./support.ts";
import { aConfig, aFixture, never } from "./support.ts";

const run = promisify(execFile);

/** Arguments of every living process of this machine. */
async function commandLines(): Promise<string[]> {
  return (await run("ps", ["-eo", "args"])).stdout.split("\n");
}

describe.each(["bubblewrap", "local"] as const)("commands in %s", (provider) => {
  let fixture: Fixture;
  const environment = { ...process.env, OPENAI_API_KEY: "sk-secret-of-the-service", MONGODB_URL: "mongodb://u:pw@h" };

  beforeAll(async () => {
    process.env["ANTLER_TEST_SECRET"] = "secret-of-the-process";
    const config = aConfig({ provider, allow_host_bash: true });
    fixture = await aFixture({ config, environment });
  });
  afterAll(async () => {
    delete process.env["ANTLER_TEST_SECRET"];
    await fixture[Symbol.asyncDispose]();
  });

  const bash = (command: string, options: { timeoutMs?: number; signal?: AbortSignal; cwd?: string } = {}) =>
    fixture.sandbox.run({ command, timeoutMs: 20_000, signal: never(), ...options });

  it("is the provider in use", () => {
    expect(fixture.workspaces.provider).toEqual({ name: provider, isolated: provider === "bubblewrap" });
    expect(fixture.workspaces.bashAvailable).toBe(true);
  });

  it("runs in the workspace and reports the exit code, both streams in order", async () => {
    const result = await bash("pwd; echo err >&2; echo out; echo dev > /dev/stderr; echo dev > /dev/stdout; exit 7");

    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, truncated: false });
    expect(result.output).toBe("/mnt/user-data/workspace\nerr\nout\ndev\ndev\n");
  });

  it("knows the virtual paths, and shares the files with the file tools", async () => {
    await fixture.sandbox.writeFile("in put.txt", "from the tool");

    const result = await bash(
      "cat '/mnt/user-data/workspace/in put.txt' > /mnt/user-data/outputs/copy.txt && realpath /mnt/user-data/outputs/copy.txt",
    );

    expect(result.output).toBe("/mnt/user-data/outputs/copy.txt\n");
    expect(await fixture.sandbox.readFile("/mnt/user-data/outputs/copy.txt")).toMatchObject({ text: "from the tool" });
    expect(await readFile(join(fixture.base, "outputs", "copy.txt"), "utf8")).toBe("from the tool");
  });

  it("starts where it is told", async () => {
    await bash("mkdir -p 'a dir/b'");

    expect((await bash("pwd", { cwd: "a dir/b" })).output).toBe("/mnt/user-data/workspace/a dir/b\n");
    await expect(bash("pwd", { cwd: "missing" })).rejects.toMatchObject({ code: "path_refused" });
  });

  it("has a shell of its own for each command, nothing on its standard input", async () => {
    await bash("cd /; export LEFT=over; alias x=y");

    expect((await bash("pwd; echo ${LEFT:-nothing}; cat; read x || echo closed")).output).toBe(
      "/mnt/user-data/workspace\nnothing\nclosed\n",
    );
  });

  it("shows no secret of the service", async () => {
    const { output } = await bash("env; cat /proc/$$/environ; cat /proc/1/environ 2>/dev/null");

    expect(output).toContain("HOME=");
    expect(output).not.toContain("secret-of-the-process");
    expect(output).not.toContain("sk-secret");
    expect(output).not.toContain("mongodb://");
    expect((await bash("env")).output).not.toContain("NODE_");
  });

  it("hands over what the holder adds", async () => {
    const other = await fixture.workspaces.open("default", "t1", { env: { RUN_LABEL: "a b" } });

    expect((await other.run({ command: 'echo "$RUN_LABEL"', timeoutMs: 9000, signal: never() })).output).toBe("a b\n");
    await other.release();
  });

  it("kills everything at the timeout, also what left the process group", async () => {
    const mark = `31${process.pid}${provider.length}1`;
    const command = `echo begun; sleep ${mark} & setsid sleep ${mark}1 >/dev/null 2>&1 & (trap '' TERM; nohup sleep ${mark}2) & sleep ${mark}3`;

    const result = await bash(command, { timeoutMs: 1500 });

    expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true, output: "begun\n" });
    expect((await commandLines()).filter((line) => line.includes(mark))).toEqual([]);
  });

  it("leaves nothing running after a command that ends well", async () => {
    const mark = `32${process.pid}${provider.length}`;

    const result = await bash(
      `sleep ${mark} & setsid sleep ${mark}1 & setsid nohup sleep ${mark}2 >/dev/null 2>&1 & echo done`,
    );

    expect(result).toMatchObject({ exitCode: 0, output: "done\n" });
    expect((await commandLines()).filter((line) => line.includes(mark))).toEqual([]);
  });

  it("kills everything at an abort and rejects with its reason", async () => {
    const mark = `33${process.pid}${provider.length}`;
    const controller = new AbortController();
    const running = bash(`touch started; setsid sleep ${mark} & sleep ${mark}1`, { signal: controller.signal });
    await expect.poll(() => fixture.sandbox.stat("started"), { timeout: 10_000 }).toBeDefined();

    controller.abort(new Error("cancelled by the user"));

    await expect(running).rejects.toThrow("cancelled by the user");
    expect((await commandLines()).filter((line) => line.includes(mark))).toEqual([]);
    await expect(bash("true", { signal: controller.signal })).rejects.toThrow("cancelled by the user");
  });

  it("kills what still runs when the sandbox is released", async () => {
    const other = await fixture.workspaces.open("default", "t1");
    const mark = `34${process.pid}${provider.length}`;
    const running = other.run({ command: `touch held; sleep ${mark}`, timeoutMs: 60_000, signal: never() });
    const outcome = running.catch((error: unknown) => String(error));
    await expect.poll(() => fixture.sandbox.stat("held"), { timeout: 10_000 }).toBeDefined();

    await other.release();

    expect(await outcome).toContain("The sandbox was released");
    expect((await commandLines()).filter((line) => line.includes(mark))).toEqual([]);
  });

  it("leaves no zombie", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, index) => bash(`echo ${index}; sleep 0.01 &`)));

    const { stdout } = await run("ps", ["-o", "stat=,args=", "--ppid", String(process.pid)]);
    expect(stdout.split("\n").filter((line) => line.startsWith("Z"))).toEqual([]);
  });

  it("holds a flood of output in bounded memory", async () => {
    const before = process.memoryUsage.rss();
    const result = await bash("echo FIRST; head -c 300000000 /dev/zero | tr '\\0' x; echo; echo LAST", {
      timeoutMs: 25_000,
    });

    expect(result.truncated).toBe(true);
    expect(result.output.startsWith("FIRST\nx")).toBe(true);
    expect(result.output.endsWith("x\nLAST\n")).toBe(true);
    expect(result.output.length).toBeLessThanOrEqual(OUTPUT_MAX_CHARS);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("shows bytes that are not UTF-8 and reports a shell that a signal ended", async () => {
    expect((await bash("printf 'a\\xffb\\xc3\\xa9'")).output).toBe("a\ufffdbé");
    const killed = await bash("kill -9 $$");
    expect(killed.exitCode ?? killed.signal).toBe(provider === "local" ? "SIGKILL" : 137);
  });

  it("lists names of any kind", async () => {
    await bash(
      "mkdir odd; cd odd; touch 'a b' $'new\\nline' '🙂' $'nfd-e\\u0301' $'bad\\xff'; ln -s /etc/passwd out; ln -s loop loop",
    );

    expect((await fixture.sandbox.list("odd")).entries.map((entry) => entry.path.slice(29)).sort()).toEqual(
      ["a b", "bad\\xff", "loop", "new\\x0aline", "nfd-e\u0301", "out", "🙂"].sort(),
    );
  });

  it("refuses a command that no system can start", async () => {
    await expect(bash("echo \0")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(bash(`: ${"x".repeat(300_000)}`)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("isolation by bubblewrap", () => {
  it("has no network, no host files and no host processes", async () => {
    await using fixture = await aFixture();
    await writeFile(join(fixture.root, "host.txt"), "host");
    await fixture.workspaces.open("default", "other").then((other) => other.writeFile("private.txt", "x"));
    const bash = async (command: string) =>
      (await fixture.sandbox.run({ command, timeoutMs: 20_000, signal: never() })).output.trim();

    expect(await bash("ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe("lo");
    expect(await bash("exec 3<>/dev/tcp/1.1.1.1/80 || echo unreachable")).toContain("unreachable");
    expect(await bash(`cat ${join(fixture.root, "host.txt")} || echo absent`)).toContain("absent");
    expect(await bash(`ls ${fixture.root} || echo absent`)).toContain("absent");
    expect(await bash("ls -d /home /root /opt /etc/shadow 2>/dev/null; ls /mnt /mnt/user-data")).toBe(
      "/mnt:\nuser-data\n\n/mnt/user-data:\noutputs\nuploads\nworkspace",
    );
    expect(await bash("id -u; ls /proc | grep -c '^[0-9]*$'")).toMatch(/^1000\n[1-6]$/);
    expect(await bash("touch /usr/x || echo read-only")).toContain("read-only");
    expect(await bash("grep CapEff /proc/self/status")).toMatch(/0{16}$/);
  });

  it("shows the skills of the execution, read-only, and no others", async () => {
    const at = (folder: string) => join(process.cwd(), "libs/sandbox", folder);
    const shown = ["src", "test"].map((name) => ({ name, directory: at(name) }));
    await using fixture = await aFixture({ skills: { shown, disabled: ["off"] } });
    const bash = async (command: string) =>
      (await fixture.sandbox.run({ command, timeoutMs: 20_000, signal: never() })).output;

    expect(await bash("head -c 6 /mnt/skills/src/index.ts; ls /mnt/skills")).toBe("exportsrc\ntest\n");
    expect(await bash("touch /mnt/skills/src/x")).toContain("Read-only file system");
    expect(await bash("mkdir /mnt/skills/off")).toContain("Read-only file system");
    expect(await bash("umount /mnt/skills || echo refused")).toContain("refused");
  });

  it("keeps what commands write for the host's user, /tmp from one command to the next", async () => {
    await using fixture = await aFixture();
    const bash = (command: string) => fixture.sandbox.run({ command, timeoutMs: 20_000, signal: never() });

    await bash(
      "umask 077; echo text > private.txt; echo kept > /tmp/kept; mkdir locked; touch locked/x; chmod 555 locked",
    );

    expect(await fixture.sandbox.readFile("private.txt")).toMatchObject({ text: "text\n" });
    expect((await bash("cat /tmp/kept")).output).toBe("kept\n");
    await fixture.workspaces.delete("default", "t1");
    expect(await readdir(join(fixture.root, "default"))).toEqual([]);
  });
});
