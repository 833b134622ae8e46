import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";

/** Linux's O_PATH, which node:fs does not name: a handle on a place, not on contents. */
const O_PATH = 0o10000000;

/**
 * A directory that was opened without following a link. Names are looked up in the opened directory itself, whatever
 * happens to its path meanwhile.
 */
export interface Directory {
  /** Path for system calls of an entry, valid until `close`. */
  child(name: Buffer): Buffer;
  /** Path for system calls of the directory itself, valid until `close`. */
  readonly self: Buffer;
  close(): Promise<void>;
}

/** Opens a directory; ENOTDIR or ELOOP when the last component is a link or no directory. */
export async function openDirectory(path: string | Buffer): Promise<Directory> {
  return process.platform === "linux" ? openByDescriptor(path) : openByPath(path);
}

async function openByDescriptor(path: string | Buffer): Promise<Directory> {
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const prefix = Buffer.from(`/proc/self/fd/${handle.fd}/`);
  return {
    child: (name) => Buffer.concat([prefix, name]),
    self: Buffer.concat([prefix, Buffer.from(".")]),
    close: () => handle.close(),
  };
}

/** Without /proc a directory is held by its real path: a link swapped in between is not noticed. */
async function openByPath(path: string | Buffer): Promise<Directory> {
  const handle = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_RDONLY);
  await handle.close();
  const real = await realpath(path, { encoding: "buffer" });
  return {
    child: (name) => Buffer.concat([real, Buffer.from("/"), name]),
    self: real,
    close: async () => {
      // Nothing is held.
    },
  };
}
