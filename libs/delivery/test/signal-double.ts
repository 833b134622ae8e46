import type { Bus } from "@antler/bus";

/** Signals within one process: what was sent, who listens, and a way to lose signals. */
export interface SignalDouble extends Pick<Bus, "signal" | "subscribe"> {
  readonly sent: { readonly subject: string; readonly payload: unknown }[];
  /** While true, what is sent reaches nobody. */
  lossy: boolean;
  listeners(): number;
}

export function createSignalDouble(): SignalDouble {
  const handlers = new Set<{
    readonly subject: string;
    readonly handle: (payload: unknown, subject: string) => void;
  }>();
  const sent: { subject: string; payload: unknown }[] = [];
  const double: SignalDouble = {
    sent,
    lossy: false,
    listeners: () => handlers.size,
    signal(subject, payload) {
      const copy = JSON.parse(JSON.stringify(payload)) as unknown;
      sent.push({ subject, payload: copy });
      if (double.lossy) return;
      for (const handler of handlers) if (handler.subject === subject) handler.handle(copy, subject);
    },
    subscribe(subject, handle) {
      const handler = { subject, handle };
      handlers.add(handler);
      return { close: () => void handlers.delete(handler) };
    },
  };
  return double;
}
