import { parseConfig } from "@antler/contracts";
import { createLogger } from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";

import { measureProcess } from "../stack/measured-process.ts";

/**
 * Runs a command that prints the given number of bytes in the sandbox of this directory, and prints by how much this
 * process grew. It is started with the environment of `probedEnvironment`.
 */
const [root = "", bytes = "", probe = ""] = process.argv.slice(2);
const { sandbox: config } = parseConfig({ sandbox: { provider: "bubblewrap" } }, {});
const logger = createLogger({ service: "flood", level: "warn" });
const workspaces = await createWorkspaces({ root, config, logger, environment: process.env });
const sandbox = await workspaces.open("default", "flood");

const flood = (count: string) =>
  sandbox.run({
    command: `echo FIRST; yes 'a line of the output' | head -c ${count}; echo; echo LAST`,
    timeoutMs: 120_000,
    signal: new AbortController().signal,
  });

await flood("1000000");
const before = await measureProcess(probe);
const { output, exitCode } = await flood(bytes);
const after = await measureProcess(probe);
const peak = process.resourceUsage().maxRSS * 1024;
process.stdout.write(
  `${JSON.stringify({ exitCode, output, growth: after.rss - before.rss, peak: peak - before.rss })}\n`,
);
await sandbox.release();
await workspaces.close();
