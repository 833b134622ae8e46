import type { Behaviour } from "./behaviours.ts";

/** What vitest reports of one test. */
export interface TestResult {
  readonly fullName: string;
  readonly status: string;
}

export interface BehaviourVerdict {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

const ID_IN_TITLE = /\bDF-([A-Z]\d+)\b/g;

/**
 * A behaviour is shown when at least one test has its id in the title and every such test passed. One that cannot
 * apply has a reason and no test; a title with an id that nobody knows is a fault.
 */
export function judgeBehaviours(
  groups: Readonly<Record<string, readonly Behaviour[]>>,
  results: readonly TestResult[],
): BehaviourVerdict {
  const byId = testsById(results);
  const all = Object.values(groups).flat();
  const faults = [...all.flatMap((behaviour) => faultsOf(behaviour, byId.get(behaviour.id))), ...strangers(all, byId)];
  const apply = all.filter(({ cannotApply }) => cannotApply === undefined);
  return {
    lines: [
      ...Object.entries(groups).map(([group, rows]) => groupLine(group, rows, byId)),
      ...all.flatMap(({ id, says, cannotApply }) =>
        cannotApply === undefined ? [] : [`DF-${id} cannot apply (${says}): ${cannotApply}`],
      ),
      ...faults,
    ],
    passed: apply.filter((behaviour) => faultsOf(behaviour, byId.get(behaviour.id)).length === 0).length,
    failed: faults.length,
  };
}

function testsById(results: readonly TestResult[]): ReadonlyMap<string, readonly TestResult[]> {
  const byId = new Map<string, TestResult[]>();
  for (const result of results)
    for (const [, id = ""] of result.fullName.matchAll(ID_IN_TITLE)) byId.set(id, [...(byId.get(id) ?? []), result]);
  return byId;
}

function faultsOf({ id, says, cannotApply }: Behaviour, tests: readonly TestResult[] = []): string[] {
  if (cannotApply !== undefined) return tests.length === 0 ? [] : [`DF-${id}: said not to apply, yet has a test`];
  if (tests.length === 0) return [`DF-${id}: no test (${says})`];
  return tests
    .filter(({ status }) => status !== "passed")
    .map(({ fullName, status }) => `DF-${id}: ${status}: ${fullName}`);
}

function strangers(all: readonly Behaviour[], byId: ReadonlyMap<string, readonly TestResult[]>): string[] {
  const known = new Set(all.map(({ id }) => id));
  return [...byId.keys()].filter((id) => !known.has(id)).map((id) => `DF-${id}: no such behaviour`);
}

function groupLine(
  group: string,
  rows: readonly Behaviour[],
  byId: ReadonlyMap<string, readonly TestResult[]>,
): string {
  const shown = rows.filter(({ id }) => byId.has(id));
  const apart = rows.filter(({ cannotApply }) => cannotApply !== undefined);
  const tests = shown.reduce((count, { id }) => count + (byId.get(id)?.length ?? 0), 0);
  return `${group}: ${shown.length} of ${rows.length} are tests (${tests} in all), ${apart.length} cannot apply`;
}
