import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { Extract, Header } from "tar-stream";
import { extract } from "tar-stream";

import { AntlerError, messageOf } from "@antler/contracts";

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
  const stop = new AbortController();
  const takeFaults: unknown[] = [];
  const taken = takeAll(parser, { end, take, onFault: (fault) => takeFaults.push(fault) });
  const [feeding, taking] = await Promise.allSettled([
    feed(tar, { parser, end, signal: AbortSignal.any([signal, stop.signal]) }),
    taken.finally(() => stop.abort()),
  ]);
  signal.throwIfAborted();
  if (takeFaults.length > 0) throw takeFaults[0];
  const faults = [feeding, taking]
    .filter((outcome) => outcome.status === "rejected")
    .map(({ reason }) => reason as unknown);
  if (faults.length > 0) throw archiveInvalid(faults);
  if (!end.isComplete()) throw archiveInvalid([new Error("it ends before the end of the archive")]);
}

interface Feeding {
  readonly parser: Extract;
  readonly end: EndWatch;
  readonly signal: AbortSignal;
}

async function feed(tar: Readable, { parser, end, signal }: Feeding): Promise<void> {
  try {
    await pipeline(tar, end.pass, parser as unknown as NodeJS.WritableStream, { signal });
  } catch (error) {
    parser.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
}

interface Taking {
  readonly end: EndWatch;
  readonly take: ArchiveReading["take"];
  /** Told of an error that is not the archive's. */
  readonly onFault: (fault: unknown) => void;
}

async function takeAll(parser: Extract, { end, take, onFault }: Taking): Promise<void> {
  for await (const source of parser) {
    end.entry(source.header);
    const contents = createContents(source as AsyncIterable<Buffer>);
    try {
      await take({ header: source.header, contents: contents.read() });
    } catch (error) {
      if (!contents.isBroken()) onFault(error);
      throw error;
    }
    source.resume();
  }
}

interface Contents {
  read(): AsyncGenerator<Buffer>;
  /** Whether the archive failed while an entry was read, rather than the one who reads. */
  isBroken(): boolean;
}

function createContents(source: AsyncIterable<Buffer>): Contents {
  let isBroken = false;
  return {
    async *read() {
      const chunks = source[Symbol.asyncIterator]();
      const next = () =>
        chunks.next().catch((error: unknown) => {
          isBroken = true;
          throw error;
        });
      for (let chunk = await next(); chunk.done !== true; chunk = await next()) yield chunk.value;
    },
    isBroken: () => isBroken,
  };
}

/** An abort of the one side only follows from the fault of the other. */
function archiveInvalid(faults: readonly unknown[]): AntlerError {
  const cause = faults.find((fault) => !(fault instanceof Error && fault.name === "AbortError")) ?? faults[0];
  const message = `The body is not a complete tar stream: ${messageOf(cause)}; send an uncompressed tar archive`;
  return new AntlerError("workspace_archive_invalid", message, { cause });
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
