import { parse } from "yaml";
import { z } from "zod";

import { messageOf, SkillName } from "@antler/contracts";

import type { Skill } from "./skill.ts";
import { skillFault } from "./skill-fault.ts";

const BODY_MAX_BYTES = 64 * 1024;
const FRONT_MATTER_MAX_BYTES = 16 * 1024;
/** A file that is longer is never a valid skill; both marks of the front matter stand within the last kibibyte. */
export const SKILL_FILE_MAX_BYTES = BODY_MAX_BYTES + FRONT_MATTER_MAX_BYTES + 1024;

const wellFormed = (text: string) => text.isWellFormed();
const ToolName = z.string().trim().min(1).max(128).refine(wellFormed, "is not well-formed text");
const ToolNames = z.array(ToolName).max(200);

const FrontMatter = z.strictObject({
  name: SkillName,
  description: z.string().trim().min(1).max(1024).refine(wellFormed, "is not well-formed text"),
  /** A list, or one text with commas or spaces between the names. */
  "allowed-tools": z.preprocess((value) => (typeof value === "string" ? listed(value) : value), ToolNames).optional(),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
type FrontMatter = z.infer<typeof FrontMatter>;

/**
 * What a SKILL.md says. `file` is how errors name it; `folder` is the name that the skill must have.
 * @throws AntlerError `skill_invalid` that names the file and each faulty field.
 */
export function parseSkill(file: string, folder: string, text: string): Omit<Skill, "directory"> {
  const { front, body } = partsOf(file, text);
  const { name, description, "allowed-tools": tools } = checked(file, fieldsOf(file, front));
  if (name !== folder) throw skillFault(file, `field name must be the name of its folder, "${folder}"`);
  if (Buffer.byteLength(body) > BODY_MAX_BYTES)
    throw skillFault(file, `its text is longer than ${BODY_MAX_BYTES} bytes; move parts into files beside it`);
  return { name, description, body: body.trim(), allowedTools: tools ?? null };
}

function partsOf(file: string, text: string): { readonly front: string; readonly body: string } {
  const match = /^---[ \t]*\r?\n(?:(.*?)\r?\n)??---[ \t]*(?:\r?\n(.*))?$/s.exec(text);
  if (match === null) throw skillFault(file, "must begin with front matter between two lines of ---");
  const [, front = "", body = ""] = match;
  if (Buffer.byteLength(front) > FRONT_MATTER_MAX_BYTES)
    throw skillFault(file, `its front matter is longer than ${FRONT_MATTER_MAX_BYTES} bytes`);
  return { front, body };
}

/** Aliases are refused: a few of them can stand for any amount of data. */
function fieldsOf(file: string, front: string): unknown {
  try {
    return parse(front, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    throw skillFault(file, `its front matter is not valid YAML: ${messageOf(error)}`, error);
  }
}

function checked(file: string, fields: unknown): FrontMatter {
  const parsed = FrontMatter.safeParse(fields);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `field ${fieldOf(issue)}: ${issue.message}`);
  throw skillFault(file, faults.join("; "));
}

function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys.join(", ")] : issue.path;
  return path.length === 0 ? "(front matter)" : path.join(".");
}

function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
