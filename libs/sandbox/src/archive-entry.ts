import type { Header } from "tar-stream";

import { AntlerError } from "@antler/contracts";

import { displayName, shortName } from "./byte-names.ts";
import { below, WORKSPACE_ROOT } from "./virtual-roots.ts";

type ArchiveEntryKind = "file" | "directory" | "symlink" | "hardlink";

/** An entry of an archive that may be unpacked. */
export interface ArchiveEntry {
  readonly kind: ArchiveEntryKind;
  /** The components of its name, as bytes; none for the archive's own directory. */
  readonly segments: readonly Buffer[];
  /** The name as one line of text. */
  readonly shown: string;
  /** What a link names, as bytes. */
  readonly target: Buffer;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

const KINDS: Readonly<Partial<Record<string, ArchiveEntryKind>>> = {
  file: "file",
  "contiguous-file": "file",
  directory: "directory",
  symlink: "symlink",
  link: "hardlink",
};

const TYPE_REFUSED = "is neither a plain file nor a directory nor a link (a device, a FIFO, or packed as sparse)";
const MAX_NAME_BYTES = 4096;
const MAX_COMPONENT_BYTES = 255;
const MAX_DEPTH = 100;

/** Reads an entry's header. Errors: `workspace_entry_refused` naming the entry. */
export function archiveEntryOf(header: Header): ArchiveEntry {
  const name = bytesOf(header.name, paxHas(header, "path"));
  const shown = displayName(name);
  const kind = KINDS[header.type];
  if (kind === undefined) throw refuseEntry(shown, TYPE_REFUSED);
  return {
    kind,
    segments: segmentsOf(name, shown),
    shown,
    target: bytesOf(linkNameOf(header), paxHas(header, "linkpath")),
    sizeBytes: kind === "file" ? header.size : 0,
    isExecutable: (header.mode & 0o100) !== 0,
  };
}

export function refuseEntry(shown: string, why: string, cause?: unknown): AntlerError {
  const entry = shortName(shown);
  const options = { details: { entry }, ...(cause === undefined ? {} : { cause }) };
  return new AntlerError("workspace_entry_refused", `Entry ${entry} ${why}; leave it out of the archive`, options);
}

/** The components of a name inside the archive. Errors: `workspace_entry_refused`. */
export function segmentsOf(name: Buffer, shown: string): Buffer[] {
  const text = name.toString("latin1");
  if (text === "" || text.includes("\0") || name.length > MAX_NAME_BYTES)
    throw refuseEntry(shown, "has no usable name");
  if (text.startsWith("/")) throw refuseEntry(shown, "has an absolute name");
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw refuseEntry(shown, "has a name with `..`");
  if (segments.length > MAX_DEPTH) throw refuseEntry(shown, `lies more than ${MAX_DEPTH} directories deep`);
  if (segments.some((segment) => segment.length > MAX_COMPONENT_BYTES)) throw refuseEntry(shown, "has too long a name");
  return segments.map((segment) => Buffer.from(segment, "latin1"));
}

/**
 * Where a link's target lies below the workspace by its text alone; undefined when it leaves it. `directory` holds the
 * components of the link's own directory.
 */
export function targetInside(target: Buffer, directory: readonly Buffer[]): readonly string[] | undefined {
  const text = target.toString("latin1");
  const inside = text.startsWith("/") ? below(WORKSPACE_ROOT, text) : text;
  if (inside === undefined) return undefined;
  const reached = text.startsWith("/") ? [] : directory.map((segment) => segment.toString("latin1"));
  for (const segment of inside.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") reached.push(segment);
    else if (reached.pop() === undefined) return undefined;
  }
  return reached;
}

/** Header fields are bytes, read as Latin-1; values of extended headers are UTF-8. */
function bytesOf(value: string, isExtended: boolean): Buffer {
  return Buffer.from(value, isExtended ? "utf8" : "latin1");
}

/** The parser gives null where the types say text. */
function linkNameOf({ linkname }: { readonly linkname: string | null }): string {
  return linkname ?? "";
}

function paxHas({ pax }: Header, key: string): boolean {
  return typeof pax === "object" && pax !== null && key in pax;
}
