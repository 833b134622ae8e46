import { parseArgs } from "node:util";

import { SetupError } from "../setup-error.ts";

/** What `npm start -- …` understands. */
export interface StartArguments {
  readonly port: number;
  readonly verbose: boolean;
  readonly allowHostBash: boolean;
}

const startUsage = "npm start -- [--port N] [--verbose] [--allow-host-bash]";

/** @throws SetupError naming the argument that is wrong. */
export function readStartArguments(args: readonly string[]): StartArguments {
  const values = parse(args);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new SetupError(`--port ${values.port} is not a port; give a number from 0 (any free port) to 65535`);
  }
  return { port, verbose: values.verbose, allowHostBash: values["allow-host-bash"] };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "0" },
        verbose: { type: "boolean", default: false },
        "allow-host-bash": { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message}. Usage: ${startUsage}`, { cause: error });
  }
}
