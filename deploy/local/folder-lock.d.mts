/** Who holds a lock file: written into it, so that others can name the holder. */
export interface Holder {
  readonly pid: number;
  /** Kernel start time of that pid, so that a reused pid is not taken for the holder; absent where there is no /proc. */
  readonly started?: string | undefined;
  readonly url?: string | undefined;
}

export interface FolderLock {
  /** Replaces what the lock file says about this process. */
  describe(details: { readonly url: string }): void;
  /** Removes the lock file. */
  release(): void;
}

/** Kernel start time of a living process; nothing when it is gone, a zombie, or the machine has no /proc. */
export function processStart(pid: number): string | undefined;

/** Whether the process that wrote `holder` still lives. */
export function isAlive(holder: Holder): boolean;

/** The living holder of the lock file `path`; nothing when there is none or it is stale. */
export function readHolder(path: string): Holder | undefined;

/** Takes the lock file `path` for this process, over a stale one too; when another process lives, names it. */
export function takeLock(path: string): { readonly lock: FolderLock } | { readonly holder: Holder };
