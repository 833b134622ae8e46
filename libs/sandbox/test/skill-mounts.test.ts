import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { messageOf } from "@antler/contracts";

import { refusalReasonOf, safeName } from "../src/index.ts";
import { aFixture } from "./support.ts";

const directory = join(process.cwd(), "libs/sandbox/src");
const skills = { shown: [{ name: "code", directory }], disabled: ["off"] };
const DISABLED = "Skill 'off' is disabled. Its files cannot be read or run; go on without it";

describe("skills in a sandbox", () => {
  it("are listed by name", async () => {
    await using fixture = await aFixture({ skills });

    expect(await fixture.sandbox.list("/mnt/skills/")).toEqual({
      entries: [{ path: "/mnt/skills/code", kind: "directory" }],
      truncated: false,
    });
  });

  it("can be searched", async () => {
    await using fixture = await aFixture({ skills });

    expect((await fixture.sandbox.glob("/mnt/skills/code/safe-*.ts")).paths).toEqual(["/mnt/skills/code/safe-name.ts"]);
    const { matches } = await fixture.sandbox.grep({ pattern: "safeName\\(", path: "/mnt/skills/code/safe-name.ts" });
    expect(matches).toHaveLength(1);
  });

  it("F6: tell a disabled one by name from every file operation", async () => {
    await using fixture = await aFixture({ skills });
    const { sandbox } = fixture;
    const path = "/mnt/skills/off/SKILL.md";
    const acts = [
      sandbox.readFile(path),
      sandbox.list("/mnt/skills/off"),
      sandbox.stat(path),
      sandbox.glob("*", { path: "/mnt/skills/off" }),
      sandbox.glob("/mnt/skills/off/**"),
      sandbox.grep({ pattern: "x", path }),
      sandbox.replaceInFile(path, "a", "b"),
      sandbox.run({ command: "true", timeoutMs: 5000, signal: new AbortController().signal, cwd: "/mnt/skills/off" }),
    ];

    const messages = await Promise.all(acts.map((act) => act.then(String, messageOf)));

    expect(messages).toEqual(acts.map(() => DISABLED));
  });

  it("are not there for an execution without any", async () => {
    await using fixture = await aFixture();

    const refusal = await fixture.sandbox.readFile("/mnt/skills/code/index.ts").catch(refusalReasonOf);

    expect(refusal).toBe("not_found");
  });
});

describe("safeName", () => {
  it.each(["acme", "team_1", "a-b"])("keeps %j", (name) => {
    expect(safeName(name)).toBe(name);
  });

  it("makes one path component of anything, a different one of each", () => {
    const names = ["", ".", "..", "../up", "a/b", "A", "a\0", "é", "x".repeat(65), "\ud800"].map(safeName);

    for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{0,32}\.[0-9a-f]{20}$/);
    expect(new Set(names).size).toBe(names.length);
  });
});
