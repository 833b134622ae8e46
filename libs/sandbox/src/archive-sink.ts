import { link, lstat, mkdir, symlink, unlink } from "node:fs/promises";

import type { ArchiveEntry } from "./archive-entry.ts";
import { archiveEntryOf, refuseEntry, segmentsOf, targetInside } from "./archive-entry.ts";
import type { RawEntry } from "./archive-reader.ts";
import { refusalReasonOf } from "./path-refusal.ts";
import { createPathResolver } from "./path-resolver.ts";
import { systemCodeOf } from "./system-error.ts";
import type { UploadMeter } from "./upload-meter.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";
import { writeContents } from "./write-contents.ts";

/** Unpacks entries into a directory that nobody else touches. */
export interface ArchiveSink {
  /** Errors: `workspace_entry_refused`, `workspace_too_large`. */
  take(entry: RawEntry): Promise<void>;
  /** Makes the links, once all that they may name is there. Errors: `workspace_entry_refused`. */
  finish(): Promise<void>;
}

interface SinkState {
  readonly staging: string;
  /** Directories that were made, by their name below the staging directory. */
  readonly made: Set<string>;
  readonly files: Set<string>;
  /** Symbolic links are made last, so that no entry is ever written through one. */
  readonly links: Map<string, ArchiveEntry>;
}

export function createArchiveSink(staging: string, meter: UploadMeter): ArchiveSink {
  const state: SinkState = { staging, made: new Set(), files: new Set(), links: new Map() };
  return {
    async take(raw) {
      const entry = archiveEntryOf(raw.header);
      if (entry.kind === "directory") meter.addPlain(entry.shown);
      else meter.add(entry.shown, entry.sizeBytes);
      await namingEntry(entry, () => place(state, entry, raw.contents));
    },
    async finish() {
      for (const [key, entry] of state.links) await namingEntry(entry, () => makeLink(state, key, entry));
      for (const entry of state.links.values()) await checkLink(state, entry);
    },
  };
}

async function place(state: SinkState, entry: ArchiveEntry, contents: AsyncIterable<Buffer>): Promise<void> {
  if (entry.kind === "directory") return makeDirectories(state, entry, entry.segments);
  if (entry.segments.length === 0) throw refuseEntry(entry.shown, "has the name of the archive's own directory");
  await makeDirectories(state, entry, entry.segments.slice(0, -1));
  const key = keyOf(entry.segments);
  if (state.made.has(key)) throw refuseEntry(entry.shown, "has the name of a directory");
  state.links.delete(key);
  if (entry.kind === "symlink") {
    noteLink(state, key, entry);
    return;
  }
  const path = pathOf(state, entry.segments);
  if (state.files.has(key)) await unlink(path);
  state.files.add(key);
  if (entry.kind === "hardlink") return makeHardLink(state, entry, path);
  await writeContents(path, { contents, isExecutable: entry.isExecutable });
}

async function makeDirectories(state: SinkState, entry: ArchiveEntry, segments: readonly Buffer[]): Promise<void> {
  for (let count = 1; count <= segments.length; count += 1) {
    const prefix = segments.slice(0, count);
    const key = keyOf(prefix);
    if (state.made.has(key)) continue;
    if (state.links.has(key)) throw refuseEntry(entry.shown, "lies below a link");
    await mkdir(pathOf(state, prefix), 0o755);
    state.made.add(key);
  }
}

function noteLink(state: SinkState, key: string, entry: ArchiveEntry): void {
  const isUsable = entry.target.length > 0 && !entry.target.includes(0);
  if (!isUsable || targetInside(entry.target, entry.segments.slice(0, -1)) === undefined)
    throw refuseEntry(entry.shown, "is a link that leaves the workspace");
  state.links.set(key, entry);
}

async function makeHardLink(state: SinkState, entry: ArchiveEntry, path: Buffer): Promise<void> {
  const target = pathOf(state, segmentsOf(entry.target, entry.shown));
  const stat = await lstat(target).catch(() => undefined);
  if (stat?.isFile() !== true) throw refuseEntry(entry.shown, "is a link to no earlier file of the archive");
  await link(target, path);
}

async function makeLink(state: SinkState, key: string, entry: ArchiveEntry): Promise<void> {
  const path = pathOf(state, entry.segments);
  if (state.made.has(key)) throw refuseEntry(entry.shown, "has the name of a directory");
  if (state.files.has(key)) await unlink(path);
  await symlink(entry.target, path);
}

/** The text of a link may stay inside while the links on its way lead out: so it is followed once. */
async function checkLink(state: SinkState, entry: ArchiveEntry): Promise<void> {
  const root: VirtualRoot = { virtual: WORKSPACE_ROOT, host: state.staging, readOnly: false };
  const located = { root, segments: entry.segments, virtual: entry.shown };
  try {
    await createPathResolver([root]).useLocated(located, {}, () => Promise.resolve());
  } catch (error) {
    const reason = refusalReasonOf(error);
    if (reason === "link_escapes" || reason === "outside_roots" || reason === undefined)
      throw refuseEntry(entry.shown, "is a link that leaves the workspace", error);
  }
}

/** A system call that fails on account of the name is the entry's fault. */
async function namingEntry(entry: ArchiveEntry, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ENAMETOOLONG" || code === "EILSEQ") throw refuseEntry(entry.shown, "has too long a name", error);
    if (code === "EEXIST" || code === "ENOTDIR" || code === "EISDIR" || code === "ERR_FS_EISDIR")
      throw refuseEntry(entry.shown, "has the name of another entry of a different kind", error);
    throw error;
  }
}

function keyOf(segments: readonly Buffer[]): string {
  return segments.map((segment) => segment.toString("latin1")).join("/");
}

function pathOf({ staging }: SinkState, segments: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(staging), ...segments.flatMap((segment) => [Buffer.from("/"), segment])]);
}
