/** One broken promise: which rule, and the id of the row, event, usage record, call or message that breaks it. */
export interface Violation {
  readonly rule: string;
  readonly id: string;
  readonly problem: string;
}

/** The violation when `holds` is false, else nothing: rules are lists of these. */
export function unless(holds: boolean, violation: Violation): Violation[] {
  return holds ? [] : [violation];
}

/** A violation for each value that occurs more than once. */
export function unlessUnique(values: readonly string[], rule: string, what: string): Violation[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) =>
    unless(count === 1, { rule, id, problem: `${what} stands ${count} times` }),
  );
}
