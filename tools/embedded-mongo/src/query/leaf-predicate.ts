/** A condition on the values that a path reaches in a document; a missing field is one undefined value. */
export type LeafPredicate = (leaves: readonly unknown[]) => boolean;

/** A condition on one value. */
export type ValuePredicate = (value: unknown) => boolean;

/** A condition that holds when any value, or any element of a value that is an array, meets it. */
export function anyValue(test: ValuePredicate): LeafPredicate {
  return (leaves) => leaves.some((leaf) => test(leaf) || (Array.isArray(leaf) && leaf.some(test)));
}

/** A condition that holds when any value itself meets it: an array is tested whole. */
export function wholeValue(test: ValuePredicate): LeafPredicate {
  return (leaves) => leaves.some(test);
}

/** The opposite of a condition. */
export function negated(predicate: LeafPredicate): LeafPredicate {
  return (leaves) => !predicate(leaves);
}

/** A condition that holds when all of several do. */
export function allOf(predicates: readonly LeafPredicate[]): LeafPredicate {
  const [only] = predicates;
  if (only !== undefined && predicates.length === 1) return only;
  return (leaves) => predicates.every((predicate) => predicate(leaves));
}
