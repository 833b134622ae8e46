import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect, promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { OUTPUT_MAX_CHARS } from "../src/index.ts";
import type { Fixture } from "./support.ts";
import { aConfig, aFixture, never } from "./support.ts";

const run = promisify(execFile);

const CANARY = "canary-4711";
/** What a service may hold and no command may see. */
const SECRETS = {
  OPENAI_API_KEY: `sk-${CANARY}`,
  MONGODB_URL: `mongodb://u:${CANARY}@h`,
  NATS_URL: `nats://u:${CANARY}@h`,
  NODE_OPTIONS: `--title=${CANARY}`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${CANARY}`,
  ADDED_LATER: CANARY,
};

/** Arguments of every living process of this machine. */
async function commandLines(): Promise<string[]> {
  return (await run("ps", ["-eo", "args"])).stdout.split("\n");
}

/** Does something many times, a few at once. */
async function inTurns<T>(times: number, act: () => Promise<T>, atOnce = 4): Promise<T[]> {
  const results: T[] = [];
  while (results.length < times)
    results.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, times - results.length) }, act))));
  return results;
}

describe.each(["bubblewrap", "local"] as const)("commands in %s", (provider) => {
  let fixture: Fixture;
  const environment = { ...process.env, ...SECRETS };

  beforeAll(async () => {
    for (const [name, value] of Object.entries(SECRETS)) vi.stubEnv(name, value);
    const config = aConfig({ provider, allow_host_bash: true });
    fixture = await aFixture({ config, environment });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
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

  it("shows no secret of the service, FC-H07: variables by an allow-list", async () => {
    const { output } = await bash("env; cat /proc/$$/environ /proc/self/environ; cat /proc/1/environ 2>/dev/null");
    const names = (await bash("compgen -e")).output.trim().split("\n").sort();

    expect(output).toContain("HOME=");
    expect(output).not.toContain(CANARY);
    expect(names.filter((name) => name !== "ANTLER_COMMAND_ID")).toEqual(
      ["HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHLVL", "TERM", "TMPDIR", "USER", "_"].filter((name) =>
        names.includes(name),
      ),
    );
  });

  it("shows no secret of the service in what it says of a failure, FC-H07", async () => {
    const failures = [bash("true", { cwd: "missing" }), bash("echo \0"), bash(`: ${"x".repeat(300_000)}`)];

    const said = await Promise.allSettled(failures);

    expect(said.map(({ status }) => status)).toEqual(failures.map(() => "rejected"));
    expect(inspect(said, { depth: null })).not.toContain(CANARY);
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

  it("leaves no zombie, FC-H08: after 200 orphans and 4 timeouts of nested shells", async () => {
    const name = `zz-${process.pid}-${provider.slice(0, 2)}`;
    await bash(`cp "$(command -v sleep)" ${name}`);

    await inTurns(8, () => bash(`for i in {1..25}; do sh -c '(./${name} 0.1 &)'; done`));
    const nested = `sh -c "sh -c './${name} 60; true'; true"`;
    const late = await inTurns(4, () => bash(nested, { timeoutMs: 300 }));

    expect(late.map(({ timedOut, durationMs }) => timedOut && durationMs < 10_000)).toEqual(late.map(() => true));
    const named = async () => (await run("ps", ["-eo", "stat=,comm="])).stdout.split("\n").filter(isNamed);
    const isNamed = (line: string) => line.includes(name);
    expect((await named()).filter((line) => !line.startsWith("Z"))).toEqual([]);
    await expect.poll(named).toEqual([]);
    const { stdout } = await run("ps", ["-o", "stat=,args=", "--ppid", String(process.pid)]);
    expect(stdout.split("\n").filter((line) => line.startsWith("Z"))).toEqual([]);
  });

  it.each([
    ["a sleeper that holds both streams", "sleep 45 & echo ok"],
    ["a sleeper that holds only the error stream", "echo ok; sleep 45 >/dev/null &"],
    ["a sleeper that holds only the error stream, of a silent shell", "sleep 45 >/dev/null &"],
    ["a server that was forked twice", "(setsid sh -c 'sleep 45 & sleep 46' &); echo ok"],
  ])("returns when the shell has ended, FC-H01: %s", async (_what, command) => {
    const { exitCode, output, timedOut, durationMs } = await bash(command);

    expect({ exitCode, output, timedOut }).toEqual({
      exitCode: 0,
      output: command.includes("echo") ? "ok\n" : "",
      timedOut: false,
    });
    expect(durationMs).toBeLessThan(10_000);
  });

  it("does not cut what was printed right before the end, FC-H01", async () => {
    const { output } = await bash("sleep 45 & head -c 60000 /dev/zero | tr '\\0' x; echo; exec echo LAST");

    expect(output.endsWith("x\nLAST\n")).toBe(true);
    expect(output).toContain(` ${60_006 - (OUTPUT_MAX_CHARS - 64)} bytes left out `);
  });

  it.each([0, 3])("does not punish a chatty command, FC-H03: exit code %i", async (code) => {
    const command = `echo FIRST; head -c 300000 /dev/zero | tr '\\0' x; echo; echo LAST; exit ${code}`;

    const { output, ...result } = await bash(command);

    expect(result).toMatchObject({ exitCode: code, signal: null, timedOut: false, truncated: true });
    const [, head = "", leftOut, tail = ""] =
      /^(FIRST\nx+)\n… (\d+) bytes left out …\n(x+\nLAST\n)$/.exec(output) ?? [];
    expect(head.length + Number(leftOut) + tail.length).toBe(300_012);
  });

  it.each(["", " >&2"])("keeps characters that come byte by byte, FC-H04: printf%s", async (to) => {
    const bytes = ["e2", "82", "ac", "f0", "9f", "99", "82", "f0", "9f", "99"];
    const command = bytes.map((byte) => `printf '\\x${byte}'${to}; sleep 0.02`).join("; ");

    expect((await bash(command)).output).toBe("€🙂\ufffd");
  });

  it("counts what is left out in bytes, FC-H04", async () => {
    const { output } = await bash("printf '€%.0s' {1..100000}");

    const [, head = "", leftOut, tail = ""] = /^(€+)\n… (\d+) bytes left out …\n(€+)$/.exec(output) ?? [];
    expect(Buffer.byteLength(head) + Number(leftOut) + Buffer.byteLength(tail)).toBe(300_000);
  });

  it("hands over line ends as they are printed, FC-H14", async () => {
    expect((await bash("printf 'one\\r\\ntwo\\n'")).output).toBe("one\r\ntwo\n");
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
