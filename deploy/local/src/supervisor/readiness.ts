import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Launched } from "./launch.ts";

const pollMs = 20;

/** Waits for the JSON log line with which a service says that it is ready and on which port it answers. */
export function readyByLogLine(launched: Launched, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("No longer waiting for the ready line")), { once: true });
    launched.onLine((line) => {
      const port = readyPort(line);
      if (port !== undefined) resolve(port);
    });
  });
}

/** The port that a line announces: `{"event":"ready","http_port":N}` among other fields. */
export function readyPort(line: string): number | undefined {
  if (!line.includes('"ready"')) return undefined;
  try {
    const { event, http_port: port } = JSON.parse(line) as { event?: unknown; http_port?: unknown };
    return event === "ready" && typeof port === "number" ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until `path` holds a port number; the process writes the file once it listens. */
export function readyByPortFile(path: string, signal: AbortSignal): Promise<number> {
  return poll(signal, async () => {
    const port = Number((await readFile(path, "utf8")).trim());
    return Number.isInteger(port) && port > 0 ? port : undefined;
  });
}

/** Waits for the file of ports that nats-server writes for its process id. */
export function readyByNatsPorts(folder: string, pid: number | undefined, signal: AbortSignal): Promise<number> {
  return poll(signal, async () => {
    const name = (await readdir(folder)).find((file) => file.endsWith(`_${pid ?? ""}.ports`));
    if (name === undefined) return undefined;
    const ports = JSON.parse(await readFile(join(folder, name), "utf8")) as { nats?: readonly string[] };
    const url = ports.nats?.[0];
    return url === undefined ? undefined : Number(new URL(url).port);
  });
}

/** A file that is missing or half written is looked at again. */
async function poll(signal: AbortSignal, look: () => Promise<number | undefined>): Promise<number> {
  for (;;) {
    const port = await look().catch(() => undefined);
    if (port !== undefined) return port;
    await sleep(pollMs, undefined, { signal });
  }
}
