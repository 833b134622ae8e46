import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/**
 * Runs `work` outside whatever graph the caller may be part of. Graphs hand their checkpointer, callbacks and stream
 * to graphs begun inside them through async context; an execution takes nothing that way.
 */
export async function detached<T>(work: () => Promise<T>): Promise<T> {
  const storage = AsyncLocalStorageProviderSingleton.getInstance();
  return storage.run(undefined, work);
}
