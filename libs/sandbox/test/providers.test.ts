import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createWorkspaces } from "../src/index.ts";
import { aConfig, aFixture, never, silent } from "./support.ts";

describe("the choice of a provider", () => {
  let bin: string;
  beforeEach(async () => {
    bin = await mkdtemp(join(tmpdir(), "antler-bin-"));
  });
  afterEach(() => rm(bin, { recursive: true, force: true }));

  it("takes bubblewrap by itself, even where host commands are allowed", async () => {
    await using fixture = await aFixture({ config: aConfig({ provider: "auto", allow_host_bash: true }) });

    expect(fixture.workspaces.provider).toEqual({ name: "bubblewrap", isolated: true });
    expect(fixture.workspaces.reasons).toEqual([]);
  });

  it("falls back to the host only where that is allowed, and says why", async () => {
    await writeFile(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
    await chmod(join(bin, "bwrap"), 0o755);
    const environment = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const config = aConfig({ provider: "auto", allow_host_bash: true });

    await using fixture = await aFixture({ config, environment });

    expect(fixture.workspaces.provider).toEqual({ name: "local", isolated: false });
    expect(fixture.workspaces.reasons).toEqual([
      { provider: "bubblewrap", reason: "its probe command failed: bwrap: setting up uid map: Permission denied" },
    ]);
  });

  it("still serves file tools without any, and names each reason and the remedies", async () => {
    await using fixture = await aFixture({ config: aConfig({ provider: "auto" }), environment: { PATH: bin } });
    const { workspaces, sandbox } = fixture;

    await sandbox.writeFile("f", "x");

    expect(workspaces.provider).toEqual({ name: "none", isolated: false });
    expect(workspaces.bashAvailable).toBe(false);
    expect(await sandbox.readFile("f")).toMatchObject({ text: "x" });
    const refusal = sandbox.run({ command: "true", timeoutMs: 1000, signal: never() });
    await expect(refusal).rejects.toMatchObject({ code: "sandbox_unavailable" });
    await expect(refusal).rejects.toThrow(
      /bwrap is not on the PATH.*allow_host_bash is false.*AppArmor.*--allow-host-bash/s,
    );
    expect(() => workspaces.assertBash()).toThrow("No sandbox can run commands");
  });

  it("refuses the host provider that is chosen but not allowed", async () => {
    await using fixture = await aFixture({ config: aConfig({ provider: "local" }) });

    expect(fixture.workspaces.bashAvailable).toBe(false);
    expect(fixture.workspaces.reasons.map((reason) => reason.provider)).toEqual(["bubblewrap", "local"]);
  });
});

describe("host commands", () => {
  it("are refused where their paths would need quoting", async () => {
    const root = await mkdtemp(join(tmpdir(), "antler with space-"));
    const config = aConfig({ provider: "local", allow_host_bash: true });

    const workspaces = await createWorkspaces({ root, config, logger: silent, environment: process.env });

    expect(workspaces.reasons.at(-1)?.reason).toContain("sandbox.workspaces_dir holds a space");
    await rm(root, { recursive: true });
  });
});

describe("threads", () => {
  it("are apart, whatever their names", async () => {
    await using fixture = await aFixture();
    const ids: readonly [string, string][] = [
      ["../../etc", "t1"],
      ["Default", "t1"],
      ["default", "T1"],
      ["a/b", "t1"],
      ["a", "b/t1"],
      ["..", ".."],
      ["é", "x".repeat(500)],
    ];

    for (const [tenant, thread] of ids) {
      const sandbox = await fixture.workspaces.open(tenant, thread);
      expect((await sandbox.list(".")).entries).toEqual([]);
      await sandbox.writeFile("mine", `${tenant}/${thread}`);
    }

    expect((await fixture.sandbox.list(".")).entries).toEqual([]);
    const tops = await readdir(fixture.root);
    expect(tops).toHaveLength(8);
    expect(tops.every((name) => /^[a-z0-9_.-]+$/.test(name))).toBe(true);
  });

  it("have one sandbox id and the virtual paths", async () => {
    await using fixture = await aFixture();
    const again = await fixture.workspaces.open("default", "t1");

    expect(again.id).toBe(fixture.sandbox.id);
    expect(again.threadData).toEqual({
      workspace_path: "/mnt/user-data/workspace",
      uploads_path: "/mnt/user-data/uploads",
      outputs_path: "/mnt/user-data/outputs",
    });
  });

  it("are removed whole, and repeatedly", async () => {
    await using fixture = await aFixture();
    await mkdir(join(fixture.base, "workspace", "d"));

    await fixture.workspaces.delete("default", "t1");
    await fixture.workspaces.delete("default", "t1");

    expect(await readdir(join(fixture.root, "default"))).toEqual([]);
  });
});
