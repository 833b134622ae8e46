import type { ProviderChoice } from "./choose-provider.ts";
import { listDirectory, statPath } from "./list-directory.ts";
import type { PathLocks } from "./path-locks.ts";
import type { PathResolver } from "./path-resolver.ts";
import { createPathResolver } from "./path-resolver.ts";
import { readText } from "./read-text.ts";
import { createReceiptBook } from "./receipts.ts";
import { replaceText } from "./replace-text.ts";
import { runCommand } from "./run-command.ts";
import type { Sandbox } from "./sandbox.ts";
import { globFiles, grepFiles } from "./search-files.ts";
import type { SearchThreads } from "./search-threads.ts";
import type { SkillMounts } from "./skill-mounts.ts";
import type { ThreadDirectories } from "./thread-directories.ts";
import { rootsOf } from "./thread-directories.ts";
import { absoluteVirtual } from "./virtual-path.ts";
import { THREAD_DATA } from "./virtual-roots.ts";
import { appendText, checkWriteSize, replaceContents } from "./write-text.ts";

export interface SandboxDeps {
  readonly directories: ThreadDirectories;
  readonly skills: SkillMounts;
  readonly choice: ProviderChoice;
  /** Shared by all holds of this process, so that siblings do not write one file at once. */
  readonly locks: PathLocks;
  readonly threads: SearchThreads;
  readonly env: Readonly<Record<string, string>>;
}

type FileOperations = Pick<Sandbox, "readFile" | "writeFile" | "replaceInFile" | "list" | "glob" | "grep" | "stat">;

/** One execution's hold on a thread's directories, which exist. */
export function openSandbox(deps: SandboxDeps): Sandbox {
  const { directories, choice, env } = deps;
  const roots = rootsOf(directories, deps.skills);
  const resolver = createPathResolver(roots, deps.skills.disabled);
  const held = createHeldCommands();
  const place = { roots, temporary: directories.temporary, env };
  return {
    id: directories.id,
    threadData: THREAD_DATA,
    receipts: createReceiptBook(),
    run: (request) =>
      held.run(request.signal, (signal) => runCommand({ choice, resolver, place }, { ...request, signal })),
    release: () => held.release(),
    ...fileOperations(deps, resolver),
  };
}

function fileOperations({ directories, locks, threads }: SandboxDeps, resolver: PathResolver): FileOperations {
  const exclusively = <T>(path: string, work: () => Promise<T>) =>
    locks.hold(`${directories.id}:${absoluteVirtual(path)}`, work);
  return {
    readFile: (path, options = {}) => resolver.use(path, {}, (file) => readText(file, options)),
    async writeFile(path, content, { append = false } = {}) {
      if (!append) checkWriteSize(content);
      const write = append ? appendText : replaceContents;
      const options = { write: true, createParents: true };
      await exclusively(path, () => resolver.use(path, options, (file) => write(file, content)));
    },
    replaceInFile: async (path, oldText, newText, options = {}) =>
      exclusively(path, () =>
        resolver.use(path, { write: true }, (file) => replaceText(file, { ...options, oldText, newText })),
      ),
    list: (path, options = {}) => listDirectory(resolver, path, options),
    glob: (pattern, options = {}) => globFiles({ resolver, threads }, pattern, options),
    grep: (request) => grepFiles({ resolver, threads }, request),
    stat: (path) => statPath(resolver, path),
  };
}

interface HeldCommands {
  run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  release(): Promise<void>;
}

/** The commands of one hold; `release` kills those still running and waits for their end. */
function createHeldCommands(): HeldCommands {
  const released = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    async run(signal, work) {
      const mine = work(AbortSignal.any([signal, released.signal]));
      running.add(mine);
      try {
        return await mine;
      } finally {
        running.delete(mine);
      }
    },
    async release() {
      released.abort(new Error("The sandbox was released"));
      await Promise.allSettled(running);
    },
  };
}
