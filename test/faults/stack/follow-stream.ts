import type { GatewayClient, RunIds } from "../../harness/gateway-client.ts";

export interface Followed {
  /** Ids of the events, in the order in which they came. */
  readonly ids: readonly string[];
  /** How often the stream had to be opened. */
  readonly connections: number;
}

/** Silence after which a client takes the connection for dead; streams are never silent for as long. */
const SILENCE_MS = 20_000;
const RECONNECT_MS = 250;

/** A client that never gives up: reconnects to the next gateway with its last id until the stream has ended. */
export async function followStream(clientAt: (attempt: number) => GatewayClient, run: RunIds): Promise<Followed> {
  const ids: string[] = [];
  for (let connections = 1; ; connections += 1) {
    if (await readOn(clientAt(connections - 1), run, ids)) return { ids, connections };
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/** Reads until the stream breaks; true when it ended. */
async function readOn(client: GatewayClient, run: RunIds, ids: string[]): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const lastEventId = ids.at(-1);
  const options = { signal: silence.signal, ...(lastEventId !== undefined && { lastEventId }) };
  try {
    for await (const { event, id } of client.stream(run, options)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      if (id !== undefined) ids.push(id);
      if (event === "end") return true;
    }
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
