import { mkdir, readlink } from "node:fs/promises";

import { bytesOfEscapedName } from "./byte-names.ts";
import type { Directory } from "./directory.ts";
import { openDirectory } from "./directory.ts";
import type { PathRefusalReason } from "./path-refusal.ts";
import { pathRefused } from "./path-refusal.ts";
import { fileError, systemCodeOf } from "./system-error.ts";
import { locateVirtual } from "./virtual-path.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { below } from "./virtual-roots.ts";

const MAX_LINKS = 40;

export interface ResolveOptions {
  /** Refuses read-only roots. */
  readonly write?: boolean;
  /** Makes the directories that lead to the last component. */
  readonly createParents?: boolean;
}

/** Where a virtual path leads, links resolved. The paths are valid only inside the callback of `use`. */
export interface ResolvedPath {
  /** The path as text, absolute, without trailing slash. */
  readonly virtual: string;
  readonly root: VirtualRoot;
  /** Path for system calls; its last component is no link, so open it with O_NOFOLLOW. */
  readonly at: Buffer;
  /** Path for system calls of another entry of the same directory. */
  sibling(name: string): Buffer;
  readonly exists: boolean;
}

/** The one way from virtual paths to files; file tools, commands and uploads all go through it. */
export interface PathResolver {
  readonly roots: readonly VirtualRoot[];
  /** Resolves and calls `act`; whatever it opened on the way is closed afterwards. Errors: `path_refused`. */
  use<T>(path: string, options: ResolveOptions, act: (resolved: ResolvedPath) => Promise<T>): Promise<T>;
}

/** A resolver over these roots. No component is followed without being looked at, and no link leads out of them. */
export function createPathResolver(roots: readonly VirtualRoot[]): PathResolver {
  return {
    roots,
    async use(path, options, act) {
      const located = locateVirtual(roots, path);
      const walk = createWalk(roots, located.root, (reason) => pathRefused(reason, path));
      try {
        await walk.start();
        const end = await walk.follow(located.segments, options);
        return await act({ ...end, virtual: located.virtual });
      } catch (error) {
        throw fileError(error, path);
      } finally {
        await walk.close();
      }
    },
  };
}

type Refuse = (reason: PathRefusalReason) => Error;
type WalkEnd = Omit<ResolvedPath, "virtual">;

interface Walk {
  start(): Promise<void>;
  follow(segments: readonly Buffer[], options: ResolveOptions): Promise<WalkEnd>;
  close(): Promise<void>;
}

/** One walk from a root: a stack of open directories, so that `..` of a link target never leaves the root unseen. */
function createWalk(roots: readonly VirtualRoot[], first: VirtualRoot, refuse: Refuse): Walk {
  let root = first;
  let links = 0;
  const stack: Directory[] = [];
  const opened: Directory[] = [];

  const here = (): Directory => {
    const top = stack.at(-1);
    if (top === undefined) throw refuse("link_escapes");
    return top;
  };

  async function enter(path: string | Buffer): Promise<void> {
    const directory = await openDirectory(path);
    opened.push(directory);
    stack.push(directory);
  }

  async function enterRoot(next: VirtualRoot): Promise<void> {
    root = next;
    stack.length = 0;
    await enter(next.host);
  }

  /** The segments that a link stands for; an absolute one starts again at its root. */
  async function expand(target: Buffer): Promise<Buffer[]> {
    links += 1;
    if (links > MAX_LINKS) throw refuse("link_loop");
    const text = target.toString("latin1");
    if (!text.startsWith("/")) return segmentsOf(text);
    const goal = rootOfTarget(roots, text);
    if (goal === undefined) throw refuse("link_escapes");
    await enterRoot(goal.root);
    return segmentsOf(goal.rest);
  }

  function end(name: Buffer | undefined, exists: boolean): WalkEnd {
    const directory = here();
    const at = name === undefined ? directory.self : directory.child(name);
    return { root, at, exists, sibling: (other) => directory.child(Buffer.from(other)) };
  }

  async function descend(name: Buffer, exists: boolean, create: boolean): Promise<void> {
    const path = here().child(name);
    if (!exists && create) await makeDirectory(path);
    await enter(path);
  }

  async function follow(segments: readonly Buffer[], options: ResolveOptions): Promise<WalkEnd> {
    const pending = [...segments];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      if (isParent(next)) {
        stack.pop();
        here();
        continue;
      }
      const found = await look(here(), next);
      if (found.link !== undefined) {
        pending.unshift(...(await expand(found.link)));
        continue;
      }
      if (options.write === true && root.readOnly) throw refuse("read_only");
      if (pending.length === 0) return end(found.name, found.exists);
      await descend(found.name, found.exists, options.createParents === true);
    }
    if (options.write === true && root.readOnly) throw refuse("read_only");
    return end(undefined, true);
  }

  return {
    start: () => enterRoot(first),
    follow,
    close: async () => {
      await Promise.all(opened.splice(0).map((directory) => directory.close()));
    },
  };
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
  if (bytes === undefined || bytes.includes(0) || bytes.includes(0x2f) || isParent(bytes)) return literal;
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
  return name.length === 2 && name[0] === 0x2e && name[1] === 0x2e;
}
