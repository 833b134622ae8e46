import type { ServerResponse } from "node:http";

/** Calls `handle` once when the response is closed, by whichever side: at once when that has happened already. */
export function onceClosed(response: ServerResponse, handle: () => void): void {
  if (response.destroyed) handle();
  else response.once("close", handle);
}
