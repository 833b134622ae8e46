import ignore, { type Ignore } from "ignore";

/** Never part of a workspace, whatever .gitignore says. */
const ALWAYS_IGNORED = new Set([".git", "node_modules", ".antler"]);

interface Level {
  /** The directory of the rules, relative to the workspace, with a trailing slash; empty at the top. */
  readonly base: string;
  readonly rules: Ignore;
}

/** The .gitignore files from the top of the workspace down to one directory. The deepest that has a say decides. */
export interface IgnoreRules {
  /** The rules inside a directory whose .gitignore has this text. */
  within(directory: string, gitignore: string): IgnoreRules;
  /** `path` is relative to the workspace and uses `/`. */
  ignores(path: string, isDirectory: boolean): boolean;
}

export const noRules: IgnoreRules = rulesOf([]);

function rulesOf(levels: readonly Level[]): IgnoreRules {
  return {
    within(directory, gitignore) {
      const base = directory === "" ? "" : `${directory}/`;
      return rulesOf([...levels, { base, rules: ignore({ ignorecase: false }).add(gitignore) }]);
    },
    ignores(path, isDirectory) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return ALWAYS_IGNORED.has(name) || decide(levels, isDirectory ? `${path}/` : path);
    },
  };
}

function decide(levels: readonly Level[], path: string): boolean {
  for (const { base, rules } of levels.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}
