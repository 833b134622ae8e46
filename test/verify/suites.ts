import { resolve } from "node:path";

import type { CountTests } from "./count-tests.ts";
import { countFromText, countFromVitest } from "./count-tests.ts";

/** One suite of `npm run verify`: a command of deploy/local/bootstrap.mjs and how to learn what it counted. */
export interface Suite {
  readonly name: string;
  readonly command: readonly string[];
  readonly count: CountTests;
  /** The command with `--ci` where it differs; null where the suite takes too long for every change. */
  readonly ci?: readonly string[] | null;
}

/** Every suite that exists, the cheapest first, so that a fault shows early. */
export const suites: readonly Suite[] = [
  { name: "check", command: ["check"], count: countFromText },
  { name: "mongo", command: ["test:mongo"], count: countFromText },
  { name: "cases", command: ["test:cases"], count: countFromText },
  { name: "demo", command: ["test", "--project", "demo"], count: countFromVitest },
  { name: "readme", command: ["test", "--project", "readme"], count: countFromVitest },
  { name: "test", command: ["test"], count: countFromVitest },
  { name: "faults", command: ["test:faults"], count: countFromText, ci: ["test:faults", "--short"] },
  { name: "soak", command: ["soak", "--minutes", "10"], count: countFromText, ci: null },
];

/** The repository that is verified. */
export const root = resolve(import.meta.dirname, "../..");

/** The named suites in the order given; all of them without a name. `--ci` takes what every change is tested with. */
export function chooseSuites(args: readonly string[]): {
  readonly chosen: readonly Suite[];
  readonly unknown: string[];
} {
  const names = args.filter((arg) => arg !== "--ci");
  const named = names.length === 0 ? suites : names.flatMap(find);
  const chosen = args.includes("--ci") ? suites.flatMap(inCi) : named;
  return { chosen, unknown: names.filter((name) => find(name).length === 0) };
}

function inCi(suite: Suite): readonly Suite[] {
  return suite.ci === null ? [] : [{ ...suite, command: suite.ci ?? suite.command }];
}

function find(name: string): readonly Suite[] {
  return suites.filter((suite) => suite.name === name);
}
