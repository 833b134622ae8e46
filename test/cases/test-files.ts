import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The test files, from the root of the repository, in which the text stands. */
export async function filesNaming(text: string, root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob("{libs,services,apps,tools,test}/**/*.test.ts", { cwd: root, exclude: isForeign }))
    if ((await readFile(join(root, file), "utf8")).includes(text)) files.push(file);
  return files.sort();
}

function isForeign(path: string): boolean {
  return path.includes("node_modules") || path.startsWith("test/cases");
}
