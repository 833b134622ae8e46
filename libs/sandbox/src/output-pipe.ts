import { execFile } from "node:child_process";
import { close, constants, open } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { OnReadOpts } from "node:net";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);
const run = promisify(execFile);

/**
 * A real pipe. Node's own stdio pipes are sockets, which programs cannot open again by `/dev/stdout`; and one pipe for
 * both streams keeps their order.
 */
export interface OutputPipe {
  readonly source: Socket;
  /** Descriptor for the child's standard output and standard error. */
  readonly writeDescriptor: number;
  /** Gives up this process's writing end, so that the pipe ends with its last writer. */
  closeWriter(): Promise<void>;
}

const READ_BYTES = 64 * 1024;

/** Opens the pipe; `take` gets what comes, in a buffer that is used again. */
export async function openOutputPipe(take: (bytes: Buffer) => void): Promise<OutputPipe> {
  const directory = await mkdtemp(join(tmpdir(), "antler-pipe-"));
  try {
    const path = join(directory, "output");
    await run("mkfifo", ["-m", "600", path]);
    const reader = await openDescriptor(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeDescriptor = await openDescriptor(path, constants.O_WRONLY);
    const source = new Socket({ fd: reader, readable: true, writable: false, onread: readInto(take) });
    return { source, writeDescriptor, closeWriter: () => closeDescriptor(writeDescriptor) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** One buffer for all that is read: gigabytes of output leave no garbage behind. */
function readInto(take: (bytes: Buffer) => void): OnReadOpts {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (bytesRead: number) => {
    take(buffer.subarray(0, bytesRead));
    return true;
  };
  return { buffer, callback };
}
