import type { StoredRecord } from "../catalog/stored-record.ts";
import { compareValues } from "../values/compare.ts";
import type { IndexKey } from "./index-keys.ts";

/** One entry of an index: a key and the record that has it. */
interface IndexEntry {
  readonly key: IndexKey;
  readonly record: StoredRecord;
}

/** A place between entries: the number of the chunk and of the entry within it. */
type Position = readonly [chunk: number, entry: number];

/** The stretch of entries to scan, `end` not included. */
export interface Stretch {
  readonly start: Position;
  readonly end: Position;
}

/** Index entries in order: by key, then by the record's order of insertion. */
export interface SortedEntries {
  add(entry: IndexEntry): void;
  remove(entry: IndexEntry): void;
  /** The first place at or, with `isAfter`, behind all entries whose key starts with `prefix`. */
  seek(prefix: IndexKey, isAfter: boolean): Position;
  comparePrefix(key: IndexKey, prefix: IndexKey): number;
  scan(stretch: Stretch, isReversed: boolean): Generator<IndexEntry>;
}

const CHUNK_ENTRIES = 256;

/** Creates an empty list; `directions` are 1 or -1 for each field of the key. Chunks keep inserts cheap. */
export function createSortedEntries(directions: readonly number[]): SortedEntries {
  const chunks: IndexEntry[][] = [[]];

  const comparePrefix = (key: IndexKey, prefix: IndexKey): number => {
    for (const [at, value] of prefix.entries()) {
      const result = compareValues(key[at], value);
      if (result !== 0) return result * (directions[at] ?? 1);
    }
    return 0;
  };
  const compareEntries = (left: IndexEntry, right: IndexEntry): number =>
    comparePrefix(left.key, right.key) || left.record.sequence - right.record.sequence;

  /** The first position whose entry is not before what `isBefore` looks for. */
  const locate = (isBefore: (entry: IndexEntry) => boolean): Position => {
    const chunk = firstFalse(chunks.length - 1, (at) => {
      const last = chunks[at]?.at(-1);
      return last !== undefined && isBefore(last);
    });
    const entries = chunks[chunk] ?? [];
    const entry = firstFalse(entries.length, (at) => {
      const candidate = entries[at];
      return candidate !== undefined && isBefore(candidate);
    });
    return [chunk, entry];
  };

  return {
    comparePrefix,
    add(entry) {
      const [chunk, at] = locate((other) => compareEntries(other, entry) < 0);
      const entries = chunks[chunk] ?? [];
      entries.splice(at, 0, entry);
      if (entries.length <= CHUNK_ENTRIES * 2) return;
      chunks.splice(chunk, 1, entries.slice(0, CHUNK_ENTRIES), entries.slice(CHUNK_ENTRIES));
    },
    remove(entry) {
      const [chunk, at] = locate((other) => compareEntries(other, entry) < 0);
      const entries = chunks[chunk] ?? [];
      const found = entries[at];
      if (found === undefined || compareEntries(found, entry) !== 0) return;
      entries.splice(at, 1);
      if (entries.length === 0 && chunks.length > 1) chunks.splice(chunk, 1);
    },
    seek: (prefix, isAfter) =>
      locate(({ key }) => {
        const order = comparePrefix(key, prefix);
        return isAfter ? order <= 0 : order < 0;
      }),
    scan: (stretch, isReversed) => (isReversed ? scanBackward(chunks, stretch) : scanForward(chunks, stretch)),
  };
}

/** The least number below `count` for which `test` is false, or `count`; `test` is true up to some number. */
function firstFalse(count: number, test: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* scanForward(chunks: readonly IndexEntry[][], { start, end }: Stretch): Generator<IndexEntry> {
  for (let chunk = start[0]; chunk <= end[0] && chunk < chunks.length; chunk++) {
    const entries = chunks[chunk] ?? [];
    const stop = chunk === end[0] ? end[1] : entries.length;
    for (let at = chunk === start[0] ? start[1] : 0; at < stop; at++) {
      const entry = entries[at];
      if (entry !== undefined) yield entry;
    }
  }
}

function* scanBackward(chunks: readonly IndexEntry[][], { start, end }: Stretch): Generator<IndexEntry> {
  for (let chunk = Math.min(end[0], chunks.length - 1); chunk >= start[0]; chunk--) {
    const entries = chunks[chunk] ?? [];
    const first = chunk === start[0] ? start[1] : 0;
    for (let at = (chunk === end[0] ? end[1] : entries.length) - 1; at >= first; at--) {
      const entry = entries[at];
      if (entry !== undefined) yield entry;
    }
  }
}
