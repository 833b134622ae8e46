import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { SetupError } from "../setup-error.ts";

/** What `npm run demo -- …` understands. */
export interface DemoArguments {
  /** Absolute path of the directory that is surveyed. */
  readonly workspace: string;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly allowHostBash: boolean;
}

const demoUsage = "npm run demo -- [--workspace DIR] [--json] [--verbose] [--allow-host-bash]";

/**
 * @param folder what a relative DIR is relative to: where the user stands.
 * @throws SetupError naming the argument that is wrong.
 */
export function readDemoArguments(args: readonly string[], root: string, folder: string): DemoArguments {
  const values = parse(args);
  const [workspace, ...more] = values.workspace;
  if (more.length > 0) throw new SetupError(`--workspace is given more than once. Usage: ${demoUsage}`);
  if (workspace === "") throw new SetupError(`--workspace needs a directory, and it is empty. Usage: ${demoUsage}`);
  return {
    workspace: workspace === undefined ? root : resolve(folder, workspace),
    json: values.json,
    verbose: values.verbose,
    allowHostBash: values["allow-host-bash"],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        workspace: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        verbose: { type: "boolean", default: false },
        "allow-host-bash": { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message}. Usage: ${demoUsage}`, { cause: error });
  }
}
