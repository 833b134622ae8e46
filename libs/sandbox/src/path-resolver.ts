import { pathRefused } from "./path-refusal.ts";
import type { WalkEnd, WalkOptions } from "./path-walk.ts";
import { createWalk } from "./path-walk.ts";
import { fileError } from "./system-error.ts";
import type { LocatedPath } from "./virtual-path.ts";
import { locateVirtual } from "./virtual-path.ts";
import type { VirtualPlaces, VirtualRoot } from "./virtual-roots.ts";

/** Where a virtual path leads, links resolved. Its paths for system calls are valid only inside the callback of `use`. */
export interface ResolvedPath extends WalkEnd {
  /** The path as text, absolute, without trailing slash. */
  readonly virtual: string;
}

type Act<T> = (resolved: ResolvedPath) => Promise<T>;

/** The one way from virtual paths to files; file tools, commands and uploads all go through it. */
export interface PathResolver extends VirtualPlaces {
  /** Resolves and calls `act`; whatever it opened on the way is closed afterwards. Errors: `path_refused`. */
  use<T>(path: string, options: WalkOptions, act: Act<T>): Promise<T>;
  /** The same for a path that is already taken apart, whose names may be any bytes. */
  useLocated<T>(path: LocatedPath, options: WalkOptions, act: Act<T>): Promise<T>;
}

/** A resolver over these roots. No component is followed without being looked at, and no link leads out of them. */
export function createPathResolver(
  roots: readonly VirtualRoot[],
  disabledSkills: readonly string[] = [],
): PathResolver {
  const useLocated: PathResolver["useLocated"] = async (located, options, act) => {
    const walk = createWalk(roots, located.root, (reason) => pathRefused(reason, located.virtual));
    try {
      const end = await walk.follow(located.segments, options);
      return await act({ ...end, virtual: located.virtual });
    } catch (error) {
      throw fileError(error, located.virtual);
    } finally {
      await walk.close();
    }
  };
  return {
    roots,
    disabledSkills,
    useLocated,
    use: async (path, options, act) =>
      useLocated(locateVirtual({ roots, disabledSkills }, path, options), options, act),
  };
}
