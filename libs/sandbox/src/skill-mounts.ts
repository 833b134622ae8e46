import type { VirtualRoot } from "./virtual-roots.ts";
import { below, SKILLS_ROOT } from "./virtual-roots.ts";

/** A folder that is shown read-only as `/mnt/skills/<name>`. */
export interface SkillMount {
  /** One path component. */
  readonly name: string;
  /** The folder on the host, free of links. */
  readonly directory: string;
}

/** What an execution sees of skills. */
export interface SkillMounts {
  readonly shown: readonly SkillMount[];
  /** Names whose paths are refused as those of a disabled skill. */
  readonly disabled: readonly string[];
}

export const NO_SKILLS: SkillMounts = { shown: [], disabled: [] };

export function skillRoots({ shown }: SkillMounts): VirtualRoot[] {
  return shown.map(({ name, directory }) => ({ virtual: `${SKILLS_ROOT}/${name}`, host: directory, readOnly: true }));
}

/** The skill that an absolute virtual path belongs to; undefined elsewhere. */
export function skillOf(virtual: string): string | undefined {
  const name = below(SKILLS_ROOT, virtual)?.split("/")[0];
  return name === "" ? undefined : name;
}
