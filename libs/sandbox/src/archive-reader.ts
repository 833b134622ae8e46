import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { Extract, Header } from "tar-stream";
import { extract } from "tar-stream";

import { AntlerError, isAntlerError, messageOf } from "@antler/contracts";

const BLOCK_BYTES = 512;

export interface RawEntry {
  readonly header: Header;
  readonly contents: AsyncIterable<Buffer>;
}

export interface ArchiveReading {
  readonly signal: AbortSignal;
  /** Called for one entry after the other; what it leaves of the contents is passed over. */
  readonly take: (entry: RawEntry) => Promise<void>;
}

/**
 * Reads a tar stream to its end. Errors: `workspace_archive_invalid` when it is no complete tar stream, what `take`
 * throws, and the signal's reason.
 */
export async function readArchive(tar: Readable, { signal, take }: ArchiveReading): Promise<void> {
  signal.throwIfAborted();
  const parser = extract({ filenameEncoding: "latin1" } as Parameters<typeof extract>[0]);
  const end = createEndWatch();
  const fed = pipeline(tar, end.pass, parser as unknown as NodeJS.WritableStream, { signal });
  const [feeding, taking] = await Promise.allSettled([fed, takeAll(parser, end, take)]);
  signal.throwIfAborted();
  if (taking.status === "rejected") throw archiveError(taking.reason);
  if (feeding.status === "rejected") throw archiveError(feeding.reason);
  if (!end.isComplete()) throw archiveInvalid("it ends before the end of the archive");
}

async function takeAll(parser: Extract, end: EndWatch, take: ArchiveReading["take"]): Promise<void> {
  for await (const source of parser) {
    end.entry(source.header);
    await asTakeFault(() => take({ header: source.header, contents: source as AsyncIterable<Buffer> }));
    source.resume();
  }
}

/** Holds an error of the one who takes entries, to tell it from one of the parser. */
interface TakeFault {
  readonly takeFault: unknown;
}

async function asTakeFault(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw Object.assign(new Error("An entry was not taken", { cause: error }), { takeFault: error });
  }
}

function archiveError(error: unknown): unknown {
  if (typeof error === "object" && error !== null && "takeFault" in error) return (error as TakeFault).takeFault;
  return isAntlerError(error) ? error : archiveInvalid(messageOf(error), error);
}

function archiveInvalid(why: string, cause?: unknown): AntlerError {
  const message = `The body is not a complete tar stream: ${why}; send an uncompressed tar archive`;
  return new AntlerError("workspace_archive_invalid", message, cause === undefined ? {} : { cause });
}

/** Notices an archive that was cut between two entries, which the parser takes for its end. */
interface EndWatch {
  readonly pass: (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;
  entry(header: Header): void;
  isComplete(): boolean;
}

function createEndWatch(): EndWatch {
  let total = 0;
  let entriesEnd = 0;
  let last = Buffer.alloc(0);
  return {
    async *pass(source) {
      for await (const chunk of source) {
        total += chunk.length;
        last = Buffer.from(Buffer.concat([last, chunk.subarray(-BLOCK_BYTES)]).subarray(-BLOCK_BYTES));
        yield chunk;
      }
    },
    entry(header) {
      const { byteOffset } = header as Header & { readonly byteOffset: number };
      entriesEnd = byteOffset + Math.ceil(header.size / BLOCK_BYTES) * BLOCK_BYTES;
    },
    isComplete: () =>
      total - entriesEnd >= BLOCK_BYTES && last.length === BLOCK_BYTES && last.every((byte) => byte === 0),
  };
}
