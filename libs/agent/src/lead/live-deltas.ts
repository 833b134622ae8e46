import { AIMessageChunk } from "@langchain/core/messages";

import { toWireChunk } from "../messages/wire-message.ts";
import type { PublishLive } from "../ports.ts";

/** How long deltas of one message are gathered before they are sent. */
const GATHER_MS = 40;

export interface LiveDeltas {
  push(namespace: readonly string[], payload: unknown): void;
  /** Sends what is gathered and stops the timer. */
  close(): void;
}

interface Gathered {
  readonly namespace: readonly string[];
  readonly chunk: AIMessageChunk;
  readonly metadata: Record<string, unknown>;
}

/** Sends token deltas live, those of one message joined while they come fast. Finished messages are not sent. */
export function createLiveDeltas(publish: PublishLive): LiveDeltas {
  let gathered: Gathered | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === undefined) return;
    const { namespace, chunk, metadata } = gathered;
    gathered = undefined;
    publish({ namespace: [...namespace], message: { ...toWireChunk(chunk) }, metadata });
  };
  return {
    push(namespace, payload) {
      const [chunk, metadata] = payload as [unknown, Record<string, unknown>];
      if (!isChunk(chunk)) return;
      if (gathered?.chunk.id === chunk.id && gathered !== undefined) {
        gathered = { ...gathered, chunk: gathered.chunk.concat(chunk) };
      } else {
        send();
        gathered = { namespace, chunk, metadata: plainMetadata(metadata) };
      }
      timer ??= setTimeout(send, GATHER_MS);
    },
    close: send,
  };
}

function isChunk(value: unknown): value is AIMessageChunk {
  return AIMessageChunk.isInstance(value) && "tool_call_chunks" in value;
}

/** Names of nodes and steps only; what else a graph carries along stays in the process. */
function plainMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(metadata).filter(
    ([key, value]) => key.startsWith("langgraph_") && ["string", "number"].includes(typeof value),
  );
  return Object.fromEntries(kept);
}
