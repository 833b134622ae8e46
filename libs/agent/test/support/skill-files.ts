import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface SkillFiles extends AsyncDisposable {
  /** Free of links. */
  readonly dir: string;
}

/** A folder of skills that holds these files, by path. */
export async function skillFiles(files: Readonly<Record<string, string>>): Promise<SkillFiles> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "antler-skills-")));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

/** The text of a SKILL.md. */
export function skillText(name: string, over: { tools?: string; body?: string } = {}): string {
  const tools = over.tools === undefined ? "" : `allowed-tools: ${over.tools}\n`;
  return `---\nname: ${name}\ndescription: How to do ${name}\n${tools}---\n${over.body ?? `Steps of ${name}.`}\n`;
}
