import type { MsgHdrs } from "@nats-io/nats-core";

import { TraceContext } from "@antler/contracts";

const NAMES = ["traceparent", "tracestate", "baggage"] as const;

export function setTrace(headers: MsgHdrs, trace: TraceContext): void {
  for (const name of NAMES) {
    const value = trace[name];
    if (value !== undefined) headers.set(name, value);
  }
}

/** The trace context of a message; `null` when it has none that can be read. */
export function traceOf(headers: Readonly<Record<string, string>>): TraceContext | null {
  const found = NAMES.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  return TraceContext.safeParse(Object.fromEntries(found)).data ?? null;
}

/** The first value of each header. */
export function headersOf(headers: MsgHdrs | undefined): Record<string, string> {
  return Object.fromEntries((headers?.keys() ?? []).map((name) => [name, headers?.get(name) ?? ""]));
}
