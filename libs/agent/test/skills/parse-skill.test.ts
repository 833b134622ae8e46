import { describe, expect, it } from "vitest";

import { parseSkill } from "../../src/skills/parse-skill.ts";
import { skillText } from "../support/skill-files.ts";

const FILE = "shared/pdf/SKILL.md";
const parse = (text: string) => parseSkill(FILE, "pdf", text);
const front = (lines: string) => `---\nname: pdf\ndescription: Works on PDF files\n${lines}\n---\nBody`;

function faultOf(text: string): string {
  try {
    parse(text);
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "skill_invalid", details: { file: FILE } });
    return (error as Error).message;
  }
}

describe("parseSkill", () => {
  it("reads name, description, tools and body", () => {
    expect(parse(skillText("pdf", { tools: "[bash, read_file]", body: "One\n\n---\n\nTwo" }))).toEqual({
      name: "pdf",
      description: "How to do pdf",
      body: "One\n\n---\n\nTwo",
      allowedTools: ["bash", "read_file"],
    });
  });

  it.each([
    ["[bash, ls]", ["bash", "ls"]],
    ["bash, ls", ["bash", "ls"]],
    ["bash ls", ["bash", "ls"]],
    ["[]", []],
    ['""', []],
  ])("reads allowed-tools written as %s", (written, tools) => {
    expect(parse(front(`allowed-tools: ${written}`)).allowedTools).toEqual(tools);
  });

  it("does not restrict tools without allowed-tools", () => {
    expect(parse(front("license: MIT\ncompatibility: any\nmetadata: { version: 1 }")).allowedTools).toBeNull();
  });

  it("reads carriage returns, and a body that is empty", () => {
    expect(parse("---\r\nname: pdf\r\ndescription: D\r\n---\r\nBody\r\n")).toMatchObject({ body: "Body" });
    expect(parse("---\nname: pdf\ndescription: D\n---")).toMatchObject({ body: "" });
  });

  it.each([
    ["no front matter", "Just text", /must begin with front matter/],
    ["front matter that does not end", "---\nname: pdf\n", /must begin with front matter/],
    ["no name and no description", "---\n---\nBody\n---\n", /field \(front matter\): /],
    ["no description", "---\nname: pdf\n---\n", /field description: /],
    ["an empty description", '---\nname: pdf\ndescription: " "\n---\n', /field description: /],
    ["a long description", `---\nname: pdf\ndescription: ${"x".repeat(1025)}\n---\n`, /field description: /],
    ["a description that is not well-formed", '---\nname: pdf\ndescription: "\\uD800"\n---\n', /field description: /],
    ["another name than its folder's", skillText("doc"), /field name must be the name of its folder, "pdf"/],
    ["a name that is no name", "---\nname: Big PDF\ndescription: D\n---\n", /field name: must be of a-z/],
    ["a key that nobody knows", front("allowed_tools: [bash]"), /field allowed_tools: /],
    ["tools that are no names", front("allowed-tools: [1]"), /field allowed-tools\.0: /],
    ["tools that are null", front("allowed-tools:"), /field allowed-tools: /],
    ["a key twice", front("name: pdf"), /not valid YAML/],
    ["an alias", front("license: &a x\ncompatibility: *a"), /not valid YAML/],
    ["front matter that is too long", front(`license: ${"x".repeat(16 * 1024)}`), /front matter is longer than 16384/],
    ["a body that is too long", skillText("pdf", { body: "é".repeat(33_000) }), /longer than 65536 bytes/],
  ])("refuses %s, naming file and field", (_what, text, fault) => {
    const message = faultOf(text);

    expect(message).toMatch(/^Skill file shared\/pdf\/SKILL\.md: /);
    expect(message).toMatch(fault);
  });
});
