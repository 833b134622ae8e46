/** Null inherits; two lists intersect in the subagent's order. A subagent never gets more than its lead has. */
export function inheritedSkills(ofLead: readonly string[] | null, ofType: readonly string[] | null): string[] | null {
  if (ofType === null) return ofLead === null ? null : [...ofLead];
  return ofType.filter((name) => ofLead === null || ofLead.includes(name));
}
