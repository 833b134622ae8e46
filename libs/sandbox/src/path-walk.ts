import { mkdir, readlink } from "node:fs/promises";

import { bytesOfEscapedName } from "./byte-names.ts";
import type { Directory } from "./directory.ts";
import { openDirectory } from "./directory.ts";
import type { PathRefusalReason } from "./path-refusal.ts";
import { systemCodeOf } from "./system-error.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { below } from "./virtual-roots.ts";

const MAX_LINKS = 40;
/** Each directory on the way holds a descriptor until the walk ends. */
const MAX_DIRECTORIES = 256;

export interface WalkOptions {
  /** Refuses read-only roots. */
  readonly write?: boolean;
  /** Makes the directories that lead to the last component. */
  readonly createParents?: boolean;
}

/** Where a walk ended. The paths are valid until `close`. */
export interface WalkEnd {
  readonly root: VirtualRoot;
  /** Path for system calls; its last component is no link, so open it with O_NOFOLLOW. */
  readonly at: Buffer;
  readonly exists: boolean;
  /** Path for system calls of another entry of the same directory. */
  sibling(name: string): Buffer;
}

export interface Walk {
  follow(segments: readonly Buffer[], options: WalkOptions): Promise<WalkEnd>;
  close(): Promise<void>;
}

interface WalkState {
  readonly roots: readonly VirtualRoot[];
  readonly refuse: (reason: PathRefusalReason) => Error;
  root: VirtualRoot;
  links: number;
  /** Open directories from the root to here, so that `..` of a link's target never leaves the root unseen. */
  stack: Directory[];
  readonly opened: Directory[];
}

/** One walk that begins at a root and looks at every component before it goes on. */
export function createWalk(
  roots: readonly VirtualRoot[],
  root: VirtualRoot,
  refuse: (reason: PathRefusalReason) => Error,
): Walk {
  const state: WalkState = { roots, refuse, root, links: 0, stack: [], opened: [] };
  return {
    async follow(segments, options) {
      await enterRoot(state, root);
      return followAll(state, segments, options);
    },
    close: async () => {
      await Promise.all(state.opened.splice(0).map((directory) => directory.close()));
    },
  };
}

async function followAll(state: WalkState, segments: readonly Buffer[], options: WalkOptions): Promise<WalkEnd> {
  const pending = [...segments];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (isParent(next)) {
      leave(state);
      continue;
    }
    const found = await look(here(state), next);
    if (found.link !== undefined) {
      pending.unshift(...(await expand(state, found.link)));
      continue;
    }
    checkWrite(state, options);
    if (pending.length === 0) return endAt(state, found.name, found.exists);
    await descend(state, found, options.createParents === true);
  }
  checkWrite(state, options);
  return endAt(state, undefined, true);
}

function here(state: WalkState): Directory {
  const top = state.stack.at(-1);
  if (top === undefined) throw state.refuse("link_escapes");
  return top;
}

function leave(state: WalkState): void {
  state.stack.pop();
  here(state);
}

async function enter(state: WalkState, path: string | Buffer): Promise<void> {
  if (state.opened.length >= MAX_DIRECTORIES) throw state.refuse("bad_name");
  const directory = await openDirectory(path);
  state.opened.push(directory);
  state.stack.push(directory);
}

async function enterRoot(state: WalkState, root: VirtualRoot): Promise<void> {
  state.root = root;
  state.stack = [];
  await enter(state, root.host);
}

async function descend(state: WalkState, { name, exists }: Found, create: boolean): Promise<void> {
  const path = here(state).child(name);
  if (!exists && create) await makeDirectory(path);
  await enter(state, path);
}

/** The segments that a link stands for; an absolute one starts again at its root. */
async function expand(state: WalkState, target: Buffer): Promise<Buffer[]> {
  state.links += 1;
  if (state.links > MAX_LINKS) throw state.refuse("link_loop");
  const text = target.toString("latin1");
  if (!text.startsWith("/")) return segmentsOf(text);
  const goal = rootOfTarget(state.roots, text);
  if (goal === undefined) throw state.refuse("link_escapes");
  await enterRoot(state, goal.root);
  return segmentsOf(goal.rest);
}

function checkWrite(state: WalkState, { write }: WalkOptions): void {
  if (write === true && state.root.readOnly) throw state.refuse("read_only");
}

function endAt(state: WalkState, name: Buffer | undefined, exists: boolean): WalkEnd {
  const directory = here(state);
  const at = name === undefined ? directory.self : directory.child(name);
  return { root: state.root, at, exists, sibling: (other) => directory.child(Buffer.from(other)) };
}

interface Found {
  readonly name: Buffer;
  readonly exists: boolean;
  readonly link?: Buffer;
}

/** What a name is in a directory. An escaped name is tried as the bytes it stands for when nothing has it literally. */
async function look(directory: Directory, name: Buffer): Promise<Found> {
  const literal = await lookExactly(directory, name);
  if (literal.exists) return literal;
  const bytes = bytesOfEscapedName(name.toString("utf8"));
  if (bytes === undefined || bytes.includes(0) || bytes.includes(0x2f) || isDots(bytes)) return literal;
  const decoded = await lookExactly(directory, bytes);
  return decoded.exists ? decoded : literal;
}

async function lookExactly(directory: Directory, name: Buffer): Promise<Found> {
  try {
    return { name, exists: true, link: await readlink(directory.child(name), { encoding: "buffer" }) };
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return { name, exists: false };
    if (systemCodeOf(error) === "EINVAL") return { name, exists: true };
    throw error;
  }
}

async function makeDirectory(path: Buffer): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}

/** An absolute link target names a virtual root, or, made by an unisolated command, the root's place on the host. */
function rootOfTarget(
  roots: readonly VirtualRoot[],
  target: string,
): { readonly root: VirtualRoot; readonly rest: string } | undefined {
  for (const root of roots) {
    for (const prefix of [root.virtual, Buffer.from(root.host).toString("latin1")]) {
      const rest = below(prefix, target);
      if (rest !== undefined) return { root, rest };
    }
  }
  return undefined;
}

function segmentsOf(latin1: string): Buffer[] {
  return latin1
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => Buffer.from(segment, "latin1"));
}

function isParent(name: Buffer): boolean {
  return name.toString("latin1") === "..";
}

function isDots(name: Buffer): boolean {
  return isParent(name) || name.toString("latin1") === ".";
}
