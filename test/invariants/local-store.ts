const PORT_FILE = ".antler/run/store.port";

/** URL of the store of the local stack in this folder; undefined when none was started here. */
export function localStoreUrl(read: (path: string) => string): string | undefined {
  try {
    const port = Number(read(PORT_FILE));
    return Number.isInteger(port) && port > 0 ? `mongodb://127.0.0.1:${port}/?directConnection=true` : undefined;
  } catch {
    return undefined;
  }
}
