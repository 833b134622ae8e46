import { renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { connectionUrl } from "./bind-address.ts";
import { watchParent } from "./parent-watch.ts";
import { refuseProduction } from "./production-refusal.ts";
import type { RunningServer } from "./server.ts";
import { startServer } from "./server.ts";
import { isStartupError, StartupError } from "./startup-error.ts";

interface Arguments {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly portFile: string | undefined;
  readonly parentPid: number | undefined;
}

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      "data-dir": { type: "string" },
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "0" },
      "port-file": { type: "string" },
      "parent-pid": { type: "string" },
    },
  });
  const dataDir = values["data-dir"];
  if (dataDir === undefined || dataDir === "") throw new StartupError("bad_argument", "Give --data-dir DIRECTORY.");
  const parentPid = values["parent-pid"];
  return {
    dataDir,
    host: values.host,
    port: Number(values.port),
    portFile: values["port-file"],
    parentPid: parentPid === undefined ? undefined : Number(parentPid),
  };
}

function announce(server: RunningServer, portFile: string | undefined): void {
  const { address } = server;
  if (portFile !== undefined) {
    writeFileSync(`${portFile}.unfinished`, `${String(address.port)}\n`);
    renameSync(`${portFile}.unfinished`, portFile);
  }
  const ready = { url: connectionUrl(address), host: address.host, port: address.port, pid: process.pid };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

async function run(): Promise<void> {
  refuseProduction(process.env["NODE_ENV"]);
  const options = readArguments();
  const server = await startServer({
    dataDir: options.dataDir,
    host: options.host,
    port: options.port,
    onBackgroundError: (error) => {
      report("The embedded MongoDB failed in the background", error);
    },
  });
  announce(server, options.portFile);
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= server.close().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (options.parentPid !== undefined) watchParent(options.parentPid, stop);
}

function report(what: string, error: unknown): void {
  const detail = error instanceof Error && !isStartupError(error) ? error.stack : undefined;
  process.stderr.write(`${what}: ${detail ?? (error instanceof Error ? error.message : String(error))}\n`);
}

function fail(error: unknown): never {
  report("The embedded MongoDB could not go on", error);
  process.exit(1);
}

run().catch(fail);
