import { z } from "zod";

/** Name of a skill and of its folder. */
export const SkillName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be of a-z, 0-9 and single hyphens between them")
  .max(64);

/** Where skills lie and how agents get them. */
export const SkillsConfig = z
  .strictObject({
    dir: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("Folder with shared/<skill>/SKILL.md and tenants/<tenant>/<skill>/SKILL.md; null has no skills"),
    loading: z
      .enum(["eager", "metadata"])
      .default("eager")
      .describe(
        "eager puts whole skills into the system prompt; metadata only name, description and path, and the agent reads the rest",
      ),
    tool_policy: z
      .enum(["at_start", "on_activation"])
      .default("at_start")
      .describe(
        "When the allowed-tools of skills narrow a subagent's tools: from its start, or once it has read the skill's SKILL.md",
      ),
    disabled: z.array(SkillName).default([]).describe("Skills that no agent gets and whose files no tool reads"),
  })
  .prefault({});
export type SkillsConfig = z.infer<typeof SkillsConfig>;
