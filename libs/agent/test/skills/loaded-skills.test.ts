import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { allowedTools } from "../../src/skills/allowed-tools.ts";
import { loadSkills } from "../../src/skills/load-skills.ts";
import type { Skill } from "../../src/skills/skill.ts";
import { skillSections } from "../../src/skills/skill-section.ts";
import { narrowTools } from "../../src/tools/tool-policy.ts";

function aSkill(name: string, over: Partial<Skill> = {}): Skill {
  return {
    name,
    description: `How to ${name}`,
    body: `Body ${name}`,
    allowedTools: null,
    directory: `/x/${name}`,
    ...over,
  };
}

describe("loadSkills", () => {
  it("DF-X19 does not touch the storage for an empty list, nor shows anything of it", async () => {
    const storage = { disabled: ["off"], load: vi.fn() };

    const loaded = await loadSkills(storage, { tenantId: "acme", allowed: [] });

    expect(storage.load).not.toHaveBeenCalled();
    expect(loaded).toEqual({ skills: [], mounts: { shown: [], disabled: ["off"] } });
  });

  it.each([[null], [["a"]]])("asks the storage for %j of the tenant", async (allowed) => {
    const storage = { disabled: [], load: vi.fn().mockResolvedValue([aSkill("a")]) };

    const loaded = await loadSkills(storage, { tenantId: "acme", allowed });

    expect(storage.load).toHaveBeenCalledExactlyOnceWith("acme", allowed);
    expect(loaded.mounts.shown).toEqual([{ name: "a", directory: "/x/a" }]);
  });

  it("has none without a storage", async () => {
    expect(await loadSkills(undefined, { tenantId: "acme", allowed: null })).toMatchObject({ skills: [] });
  });
});

describe("allowedTools", () => {
  it.each([
    ["no skills", [], null],
    ["skills without a list", [null, null], null],
    ["one list beside a skill without", [["bash"], null], ["bash"]],
    [
      "two lists",
      [
        ["bash", "ls"],
        ["ls", "grep"],
      ],
      ["bash", "ls", "grep"],
    ],
    ["an empty list", [[]], []],
  ])("of %s", (_what, lists, expected) => {
    expect(allowedTools(lists.map((list) => ({ allowedTools: list })))).toEqual(expected);
  });

  it("only ever narrows", () => {
    const name = fc.constantFrom("bash", "ls", "read_file", "task", "x__y");
    const lists = fc.array(fc.option(fc.array(name)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(name), lists, (tools, given) => {
        const allowed = allowedTools(given.map((list) => ({ allowedTools: list })));
        expect(tools).toEqual(expect.arrayContaining(narrowTools(tools, { allowed, denied: [] })));
      }),
    );
  });
});

describe("skillSections", () => {
  it("says nothing without skills", () => {
    expect([skillSections([], "eager"), skillSections([], "metadata")]).toEqual([[], []]);
  });

  it("eager: holds whole skills with their places", () => {
    const [text] = skillSections([aSkill("a"), aSkill("b")], "eager");

    expect(text).toMatch(/<skill name="a" location="\/mnt\/skills\/a\/SKILL\.md">\nBody a\n<\/skill>/);
    expect(text).toMatch(/Body b/);
  });

  it("metadata: holds name, description and place, and nothing of a body", () => {
    const [text] = skillSections([aSkill("a", { description: "<b> & more" })], "metadata");

    expect(text).toContain('<skill name="a" location="/mnt/skills/a/SKILL.md">&lt;b&gt; &amp; more</skill>');
    expect(text).toContain("read_file");
    expect(text).not.toContain("Body");
  });

  it("eager: refuses more than half a mebibyte and names the remedy", () => {
    const skills = Array.from({ length: 9 }, (_, index) => aSkill(`s${index}`, { body: "x".repeat(64 * 1024) }));

    expect(() => skillSections(skills, "eager")).toThrow(/skills\.loading.*metadata/);
    expect(skillSections(skills, "metadata")).toHaveLength(1);
  });
});
