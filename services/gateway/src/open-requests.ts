import type { Server } from "node:http";

/** The requests that a server has not answered whole yet. */
export interface OpenRequests {
  /** Resolves when all are answered, or when `limit` aborts. */
  settled(limit: AbortSignal): Promise<void>;
}

export function countRequests(server: Server): OpenRequests {
  let count = 0;
  let changed = Promise.withResolvers<undefined>();
  server.on("request", (_request, response) => {
    count += 1;
    response.once("close", () => {
      count -= 1;
      changed.resolve(undefined);
      changed = Promise.withResolvers();
    });
  });
  return {
    async settled(limit) {
      const over = new Promise((resolve) => {
        limit.addEventListener("abort", resolve, { once: true });
      });
      while (count > 0 && !limit.aborted) await Promise.race([changed.promise, over]);
    },
  };
}
