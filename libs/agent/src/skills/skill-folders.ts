import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

import { AntlerError, messageOf } from "@antler/contracts";
import { safeName } from "@antler/sandbox";

import { skillFault, systemCode, unreadableSkill } from "./skill-fault.ts";

/** A folder that holds, or should hold, a skill. */
export interface SkillFolder {
  readonly name: string;
  /** How errors name it, relative to `skills.dir`. */
  readonly shown: string;
  /** On the host, free of links. */
  readonly directory: string;
}

/** A place of skills below `skills.dir`. */
interface Section {
  readonly shown: string;
  readonly path: string;
}

export interface FolderQuery {
  readonly tenantId: string;
  readonly isWanted: (name: string) => boolean;
}

/**
 * The tenant's folders of skills and the shared ones, by name; of two with one name the tenant's. No link leads out of
 * the section that it stands in.
 * @throws AntlerError `skill_invalid`.
 */
export async function skillFolders(dir: string, { tenantId, isWanted }: FolderQuery): Promise<SkillFolder[]> {
  const base = await baseOf(dir);
  const byName = new Map<string, SkillFolder>();
  for (const shown of ["shared", `tenants/${safeName(tenantId)}`])
    for (const folder of await foldersIn({ shown, path: join(base, shown) }, isWanted)) byName.set(folder.name, folder);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function baseOf(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch (error) {
    const reason = systemCode(error) ?? messageOf(error);
    throw new AntlerError("skill_invalid", `Field skills.dir: the folder cannot be opened (${reason}); make it`, {
      cause: error,
    });
  }
}

async function foldersIn(section: Section, isWanted: (name: string) => boolean): Promise<SkillFolder[]> {
  const entries = await entriesOf(section);
  const wanted = entries.filter((entry) => mayBeSkill(entry) && isWanted(entry.name));
  return Promise.all(wanted.map(({ name }) => folderOf(section, name)));
}

async function entriesOf({ path, shown }: Section): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw unreadableSkill(shown, error);
  }
}

/** Files beside the folders, and what begins with a dot, belong to whoever keeps the skills. */
function mayBeSkill(entry: Dirent): boolean {
  return (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith(".");
}

async function folderOf(section: Section, name: string): Promise<SkillFolder> {
  const shown = `${section.shown}/${name}`;
  return { name, shown, directory: await realPathWithin(section.path, join(section.path, name), shown) };
}

/**
 * Where a path leads, links followed.
 * @throws AntlerError `skill_invalid` when it leads out of `folder`, or nowhere.
 */
export async function realPathWithin(folder: string, path: string, shown: string): Promise<string> {
  const real = await realpath(path).catch((error: unknown) => {
    throw unreadableSkill(shown, error);
  });
  if (real.startsWith(`${folder}${sep}`)) return real;
  throw skillFault(shown, "is a link that leaves its folder; copy what it links to");
}
