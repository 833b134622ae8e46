import type { ServiceProcess } from "../../harness/service-process.ts";

type Line = Readonly<Record<string, unknown>>;

/** What a service has logged. */
function linesOf({ lines }: ServiceProcess): Line[] {
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Line);
}

/** Each time that the service began to drain. */
export function shutdowns(service: ServiceProcess): Line[] {
  return linesOf(service).filter(({ to }) => to === "draining");
}

/** The steps of its drain in the order in which they ended; at level debug. */
export function drainSteps(service: ServiceProcess): unknown[] {
  return linesOf(service).flatMap(({ msg, step }) => (msg === "Drain step is done" ? [step] : []));
}

/** Why executions of these services were stopped before they ended. */
export function stoppedExecutions(services: readonly ServiceProcess[]): string[] {
  const stopped = services.flatMap(linesOf).filter(({ msg }) => msg === "Execution was stopped");
  return stopped.map(({ id, err }) => `${String(id)}: ${String(err)}`);
}

/** The status with which the service answers now. */
export async function statusOf({ port }: ServiceProcess, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
}
