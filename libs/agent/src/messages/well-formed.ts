/** A plain value in which every text, also of keys, is well-formed UTF-16: half of a surrogate pair becomes U+FFFD. */
export function wellFormed<Value>(value: Value): Value {
  return repaired(value) as Value;
}

function repaired(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key.toWellFormed(), repaired(entry)]));
}
