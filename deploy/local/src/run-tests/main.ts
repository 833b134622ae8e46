import { join, resolve } from "node:path";

import { runCommandLine } from "../command-line.ts";
import { layOut } from "../stack/stack-folder.ts";
import { prepareTools } from "../tools/prepare-tools.ts";
import { runVitest } from "./run-vitest.ts";

const root = resolve(import.meta.dirname, "../../../..");
const say = (line: string): void => void process.stderr.write(`${line}\n`);

await runCommandLine(async () => {
  const tools = await prepareTools({
    environment: process.env,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    folder: layOut(join(root, ".antler")).packages,
    say,
  });
  for (const reason of Object.values(tools.missing)) say(`antler: ${reason}`);
  // Tests start processes of their own, which must not take the parent of this one for theirs.
  const environment = { ...process.env, PATH: tools.searchPath, ANTLER_PARENT_PID: undefined };
  return runVitest(root, process.argv.slice(2), environment);
});
