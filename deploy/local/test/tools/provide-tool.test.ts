import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { provideTool, type SystemTool, type ToolContext } from "../../src/tools/provide-tool.ts";
import { writeProgram } from "../harness/fake-program.ts";

const tool: SystemTool = {
  program: "antler-test-tool",
  debianPackage: "test-tool",
  packagePath: "usr/sbin/antler-test-tool",
  remedies: { darwin: "run: brew install test-tool", other: "install test-tool" },
};

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "antler-tools-"));
  said = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function context(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    environment: { PATH: `${folder}/bin:/usr/bin:/bin` },
    platform: "linux",
    isRoot: false,
    folder: join(folder, "packages"),
    daemonPolicyPath: join(folder, "policy-rc.d"),
    say: (line) => void said.push(line),
    ...overrides,
  };
}

/** Stands for Debian's tools: `apt-get` notes each call and does what `behaviour` says for its first word. */
function fakeDebian(behaviour: Readonly<Record<string, string>>): void {
  const cases = Object.entries(behaviour).map(([word, body]) => `${word}) ${body} ;;`);
  writeProgram(`${folder}/bin`, "apt-get", `echo "$*" >> ${folder}/calls\ncase "$1" in ${cases.join("\n")} esac`);
  const unpack = `mkdir -p "$3/usr/sbin" && cp "$2" "$3/usr/sbin/antler-test-tool" && chmod 755 "$3/usr/sbin/antler-test-tool"`;
  writeProgram(`${folder}/bin`, "dpkg-deb", unpack);
}

function calls(): readonly string[] {
  return readFileSync(`${folder}/calls`, "utf8").trimEnd().split("\n");
}

const downloads = "echo '#!/bin/sh' > test-tool_1_all.deb";

describe("provideTool", () => {
  it("takes a program that is on the path", async () => {
    const path = writeProgram(`${folder}/bin`, tool.program, "");

    expect(await provideTool(tool, context())).toEqual({ path });
    expect(said).toEqual([]);
  });

  it("installs the package as root, without its daemon", async () => {
    const checks = `test -x ${folder}/policy-rc.d && echo '#!/bin/sh' > ${folder}/bin/antler-test-tool`;
    fakeDebian({ install: `${checks} && chmod 755 ${folder}/bin/antler-test-tool` });

    expect(await provideTool(tool, context({ isRoot: true }))).toEqual({ path: `${folder}/bin/antler-test-tool` });
    expect(calls()[0]).toMatch(/^install -y --no-install-recommends .*test-tool$/);
    expect(existsSync(`${folder}/policy-rc.d`)).toBe(false);
    expect(said).toEqual([
      "antler: installing Debian's test-tool …",
      expect.stringMatching(/^antler: installing Debian's test-tool took \d+\.\d s$/),
    ]);
  });

  it("leaves an administrator's daemon policy alone", async () => {
    fakeDebian({ install: "exit 1", download: downloads });
    writeFileSync(`${folder}/policy-rc.d`, "theirs");

    await provideTool(tool, context({ isRoot: true }));

    expect(readFileSync(`${folder}/policy-rc.d`, "utf8")).toBe("theirs");
  });

  it("unpacks the package when it is not root", async () => {
    fakeDebian({ download: downloads });

    const provided = await provideTool(tool, context());

    expect(provided).toEqual({ path: join(folder, "packages/test-tool/usr/sbin/antler-test-tool") });
    expect(calls().some((call) => call.startsWith("install"))).toBe(false);
  });

  it("refreshes private package lists when the system has none", async () => {
    fakeDebian({ download: `case "$*" in *Dir::State::lists*) ${downloads} ;; *) exit 100 ;; esac` });

    expect(await provideTool(tool, context())).toHaveProperty("path");
    expect(calls().map((call) => call.split(" ")[0])).toEqual(["download", "update", "download"]);
  });

  it("unpacks as root too when the installation fails", async () => {
    fakeDebian({ install: "exit 100", download: downloads });

    expect(await provideTool(tool, context({ isRoot: true }))).toHaveProperty("path");
  });

  it("finds an unpacked program again without the network", async () => {
    fakeDebian({ download: downloads });
    const first = await provideTool(tool, context());
    rmSync(`${folder}/bin`, { recursive: true });

    expect(await provideTool(tool, context())).toEqual(first);
  });

  it("says what failed and the remedy when nothing works", async () => {
    fakeDebian({ download: "echo 'E: Temporary failure resolving' >&2; exit 100", update: "exit 100" });

    const provided = await provideTool(tool, context());

    expect(provided).toEqual({ missing: expect.stringMatching(/could not be fetched .*install test-tool/) as string });
  });

  it("names the platform's own remedy where there is no Debian", async () => {
    expect(await provideTool(tool, context({ platform: "darwin" }))).toEqual({
      missing: "antler-test-tool was not found; run: brew install test-tool",
    });
  });
});
