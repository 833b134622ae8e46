import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages whose objects are compared by class or registry, so that a second copy breaks at run time. */
const single = ["zod", "mongodb", "@nats-io/nats-core"] as const;

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** Lists, for each package that must exist once, what the lockfile says instead; an empty list is right. */
export function findSurplusCopies(lockfile: Lockfile): readonly string[] {
  return single.flatMap((name) => {
    const copies = Object.keys(lockfile.packages).filter((path) => path.endsWith(`node_modules/${name}`));
    return copies.length === 1 ? [] : [`${name}: ${copies.length} copies (${copies.join(", ")}), needs exactly one`];
  });
}

/** Reads the lockfile of the repository in `root`. */
export function readLockfile(root: string): Lockfile {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
}
