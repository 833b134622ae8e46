import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { processStart } from "../../folder-lock.mjs";
import { type BareClone, installs, makeBareClone } from "../harness/bare-clone.ts";
import { writeProgram } from "../harness/fake-program.ts";

let clone: BareClone;

beforeEach(() => {
  clone = makeBareClone(realpathSync(mkdtempSync(join(tmpdir(), "antler-bare-"))));
});

afterEach(() => rmSync(clone.root, { recursive: true, force: true }));

const check = "test/check/main.ts";
function npmCalls(): readonly string[] {
  const path = join(clone.root, "calls");
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

describe("bootstrap", () => {
  it("installs the dependencies once and keeps standard output for the command", async () => {
    clone.write(check, "process.stdout.write(process.argv.slice(2).join('|'));");
    const first = clone.run(["check", "one", "two words"]);

    expect(await first.ended, first.errors()).toBe(0);
    expect(first.output()).toBe("one|two words");
    expect(first.errors()).toMatch(/^antler: installing dependencies with npm ci … \d+\.\d s\n$/);

    const second = clone.run(["check"]);
    expect(await second.ended).toBe(0);
    expect(second.errors()).toBe("");
    expect(npmCalls()).toHaveLength(1);
  });

  it("installs again when the lockfile has changed", async () => {
    clone.write(check, "");
    await clone.run(["check"]).ended;
    clone.write("package-lock.json", JSON.stringify({ packages: { "node_modules/one": { version: "2.0.0" } } }));

    expect(await clone.run(["check"]).ended).toBe(0);
    expect(npmCalls()).toHaveLength(2);
  });

  it("prepares a fresh clone once for two commands at the same time", async () => {
    clone.write(check, "");
    const runs = [clone.run(["check"]), clone.run(["check"])];

    expect(await Promise.all(runs.map((run) => run.ended))).toEqual([0, 0]);
    expect(npmCalls()).toHaveLength(1);
  });

  it("names each thing that it could not fetch", async () => {
    clone.npm('echo "npm error code ENOTFOUND" >&2; exit 1');
    const run = clone.run(["check"], { nodeVersion: "20.1.0" });

    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(/- npm packages of package-lock\.json \(npm ci\): code ENOTFOUND\n/);
    expect(run.errors()).toMatch(
      /- Node 24\.\d+\.\d+ \(npm package node-\w+-\w+\): code ENOTFOUND; or install Node 24/,
    );
    expect(run.output()).toBe("");
  });

  it("fetches a newer Node for an old one and runs the command with it first on the path", async () => {
    clone.write(check, "process.stdout.write(process.env.PATH.split(':')[0]);");
    const version = /"(24\.\d+\.\d+)"/.exec(
      readFileSync(join(clone.root, "deploy/local/provide-node.mjs"), "utf8"),
    )?.[1];
    const bin = `node_modules/node-${process.platform}-${process.arch}/bin`;
    const says = `case "$1" in --version) echo v${version ?? ""} ;; *) exec "${process.execPath}" "$@" ;; esac`;
    const fetched = writeProgram(join(clone.root, "fetched"), "node", says);
    clone.npm(`case "$1" in ci) ${installs} ;; *) mkdir -p "$3/${bin}" && cp "${fetched}" "$3/${bin}" ;; esac`);
    const run = clone.run(["check"], { nodeVersion: "20.1.0" });

    expect(await run.ended, run.errors()).toBe(0);
    expect(run.output()).toBe(join(clone.root, `.antler/tools/node-${version ?? ""}`, bin));
    expect(run.errors()).toContain(`getting Node ${version ?? ""}, since`);
  });

  it("ends with the exit code of the command", async () => {
    clone.write(check, "process.exit(37);");

    expect(await clone.run(["check"]).ended).toBe(37);
  });

  it("hands signals to the command and ends by the signal that ended it", async () => {
    clone.write(check, "process.stdout.write('up'); setInterval(() => {}, 1000);");
    const run = clone.run(["check"]);
    await expect.poll(run.output, { timeout: 10_000 }).toBe("up");

    run.child.kill("SIGTERM");

    expect(await run.ended).toBe("SIGTERM");
  });

  it("ends the command when npm was killed and can hand on no signal", async () => {
    clone.write(check, "process.stdout.write(`${process.pid}`); setInterval(() => {}, 1000);");
    const npm = clone.run(["check"], { underNpm: true });
    await expect.poll(npm.output, { timeout: 10_000 }).toMatch(/^\d+$/);
    const pid = Number(npm.output());

    npm.child.kill("SIGKILL");

    await expect.poll(() => processStart(pid), { timeout: 5000 }).toBeUndefined();
  });

  it("lists the commands when it does not know one", async () => {
    const run = clone.run(["nope"]);

    expect(await run.ended).toBe(2);
    expect(run.errors()).toMatch(/Unknown command "nope"; known are: demo, start, test, /);
  });

  it.each(["docs", "soak", "demo"])("explains %s without preparing or running anything", async (name) => {
    const run = clone.run([name, "--help"]);

    expect(await run.ended).toBe(0);
    expect(run.output()).toMatch(new RegExp(`^Usage: npm run ${name}( -- .*)?\n.+\n$`));
    expect(npmCalls()).toEqual([]);
  });

  it("refuses arguments of a command that takes none", async () => {
    const run = clone.run(["docs", "now"]);

    expect(await run.ended).toBe(2);
    expect(run.errors()).toBe("docs takes no arguments, but was given now. Usage: npm run docs\n");
    expect(npmCalls()).toEqual([]);
  });
});

describe("clean", () => {
  it("removes the folder of the stack without preparing anything", async () => {
    clone.write(".antler/store/data", "");

    expect(await clone.run(["clean"]).ended).toBe(0);
    expect(existsSync(join(clone.root, ".antler"))).toBe(false);
    expect(npmCalls()).toEqual([]);
  });

  it("refuses while a stack runs there, naming its pid and URL", async () => {
    clone.write(".antler/stack.lock", JSON.stringify({ pid: process.pid, url: "http://127.0.0.1:4711" }));
    const run = clone.run(["clean"]);

    expect(await run.ended).toBe(1);
    expect(run.errors()).toContain(`at http://127.0.0.1:4711 (pid ${process.pid})`);
    expect(existsSync(join(clone.root, ".antler"))).toBe(true);
  });
});
