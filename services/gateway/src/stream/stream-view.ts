import type { StreamMode } from "@antler/contracts";

/** What one client asked to see of a run. */
export interface StreamView {
  readonly modes: ReadonlySet<StreamMode>;
  /** Whether frames of nested graphs are sent, as `mode|namespace`. */
  readonly subgraphs: boolean;
}

export const DEFAULT_STREAM_MODES: readonly StreamMode[] = ["values"];

/** The event name of a mode in a namespace; undefined when the client did not ask for nested graphs. */
export function eventNameOf(mode: string, namespace: readonly string[], view: StreamView): string | undefined {
  if (namespace.length === 0) return mode;
  return view.subgraphs ? [mode, ...namespace].join("|") : undefined;
}
