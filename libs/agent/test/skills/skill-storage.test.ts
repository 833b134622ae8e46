import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createSkillStorage } from "../../src/index.ts";
import { skillFiles, skillText } from "../support/skill-files.ts";

const rules = { loading: "eager", tool_policy: "at_start" } as const;
const storageOf = (dir: string | null, disabled: string[] = []) => createSkillStorage({ ...rules, dir, disabled });

const FILES = {
  "shared/alpha/SKILL.md": skillText("alpha"),
  "shared/beta/SKILL.md": skillText("beta"),
  "shared/README.md": "Not a skill",
  "shared/.git/config": "Not a skill",
  "tenants/acme/beta/SKILL.md": skillText("beta", { body: "Beta of acme" }),
  "tenants/acme/gamma/SKILL.md": skillText("gamma"),
  "tenants/other/secret/SKILL.md": skillText("secret"),
};

async function namesOf(loading: Promise<readonly { readonly name: string }[]>): Promise<string[]> {
  return (await loading).map(({ name }) => name);
}

describe("the storage of skills", () => {
  it("has the shared skills and the tenant's own, of two with one name the tenant's", async () => {
    await using files = await skillFiles(FILES);
    const storage = storageOf(files.dir);

    const ofAcme = await storage.load("acme", null);

    expect(ofAcme.map(({ name, body }) => [name, body])).toEqual([
      ["alpha", "Steps of alpha."],
      ["beta", "Beta of acme"],
      ["gamma", "Steps of gamma."],
    ]);
    expect(ofAcme[1]?.directory).toBe(join(files.dir, "tenants/acme/beta"));
    expect(await namesOf(storage.load("nobody", null))).toEqual(["alpha", "beta"]);
  });

  it.each(["../other", "acme/../other", "..", "", "ACME", "acme\0", "/etc"])(
    "takes the tenant %j for no path",
    async (tenantId) => {
      await using files = await skillFiles(FILES);

      expect(await namesOf(storageOf(files.dir).load(tenantId, null))).toEqual(["alpha", "beta"]);
    },
  );

  it("loads of a list what is there and enabled, and is silent about the rest", async () => {
    await using files = await skillFiles(FILES);
    const storage = storageOf(files.dir, ["alpha"]);

    expect(
      await namesOf(storage.load("acme", ["gamma", "alpha", "nope", "beta", "secret", "../other/secret"])),
    ).toEqual(["beta", "gamma"]);
    expect(await namesOf(storage.load("acme", null))).toEqual(["beta", "gamma"]);
  });

  it("is not troubled by a broken skill that is disabled or not asked for", async () => {
    await using files = await skillFiles({ ...FILES, "shared/broken/SKILL.md": "nothing" });

    expect(await namesOf(storageOf(files.dir, ["broken"]).load("nobody", null))).toEqual(["alpha", "beta"]);
    expect(await namesOf(storageOf(files.dir).load("nobody", ["alpha"]))).toEqual(["alpha"]);
    await expect(storageOf(files.dir).load("nobody", null)).rejects.toMatchObject({
      code: "skill_invalid",
      details: { file: "shared/broken/SKILL.md" },
    });
  });

  it("has none without a folder, and names the key when the folder is not there", async () => {
    await using files = await skillFiles({});

    expect(await storageOf(null).load("acme", null)).toEqual([]);
    expect(await storageOf(files.dir).load("acme", null)).toEqual([]);
    await expect(storageOf(join(files.dir, "gone")).load("acme", null)).rejects.toThrow(/skills\.dir.*ENOENT/);
  });

  it("reads a skill anew each time", async () => {
    await using files = await skillFiles(FILES);
    const storage = storageOf(files.dir);
    await storage.load("nobody", ["alpha"]);

    await writeFile(join(files.dir, "shared/alpha/SKILL.md"), skillText("alpha", { body: "Changed" }));

    expect(await storage.load("nobody", ["alpha"])).toMatchObject([{ body: "Changed" }]);
  });

  it.each([
    ["a folder without SKILL.md", async (dir: string) => mkdir(join(dir, "shared/alpha/x")), "is missing"],
    ["a SKILL.md that is a folder", async (dir: string) => mkdir(join(dir, "shared/alpha/SKILL.md")), "regular file"],
    [
      "a SKILL.md that is not UTF-8",
      async (dir: string) => writeFile(join(dir, "shared/alpha/SKILL.md"), Buffer.from([0xff])),
      "UTF-8",
    ],
    [
      "a SKILL.md that is too long",
      async (dir: string) => writeFile(join(dir, "shared/alpha/SKILL.md"), "x".repeat(90_000)),
      "longer than 82944 bytes",
    ],
    [
      "a SKILL.md that links out of its folder",
      async (dir: string) => symlink(join(dir, "outside.md"), join(dir, "shared/alpha/SKILL.md")),
      "link that leaves its folder",
    ],
    [
      "a SKILL.md that links to nothing",
      async (dir: string) => symlink("nothing", join(dir, "shared/alpha/SKILL.md")),
      "is missing",
    ],
  ])("refuses %s by its name", async (_what, make, fault) => {
    await using files = await skillFiles({ "shared/alpha/note.txt": "", "outside.md": skillText("alpha") });
    await make(files.dir);

    const error: unknown = await storageOf(files.dir)
      .load("acme", null)
      .catch((caught: unknown) => caught);

    expect(error).toMatchObject({ code: "skill_invalid" });
    expect(String(error)).toMatch(new RegExp(`shared/alpha/SKILL\\.md: .*${fault}`));
    expect(String(error)).not.toContain(files.dir);
  });

  it.each(["tenants/other/secret", "../antler-elsewhere"])("refuses a folder that links to %s", async (target) => {
    await using files = await skillFiles(FILES);
    await using elsewhere = await skillFiles({ "SKILL.md": skillText("secret") });
    const goal = target.startsWith("..") ? elsewhere.dir : join(files.dir, target);
    await symlink(goal, join(files.dir, "shared/secret"));

    await expect(storageOf(files.dir).load("acme", null)).rejects.toThrow(
      "Skill file shared/secret: is a link that leaves its folder",
    );
  });

  it("follows links that stay inside, as of a mounted volume", async () => {
    await using files = await skillFiles(FILES);
    const shared = join(files.dir, "shared");
    await mkdir(join(shared, "..data"));
    await rename(join(shared, "alpha"), join(shared, "..data/alpha"));
    await symlink("..data/alpha", join(shared, "alpha"));

    expect(await storageOf(files.dir).load("nobody", ["alpha"])).toMatchObject([
      { name: "alpha", directory: join(shared, "..data/alpha") },
    ]);
  });

  it("loads at most 100 skills", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `s${index}`);
    await using files = await skillFiles(
      Object.fromEntries(names.map((name) => [`shared/${name}/SKILL.md`, skillText(name)])),
    );

    expect(await storageOf(files.dir).load("acme", names.slice(1))).toHaveLength(100);
    await expect(storageOf(files.dir).load("acme", null)).rejects.toThrow(/101 skills are more than 100/);
  });
});
