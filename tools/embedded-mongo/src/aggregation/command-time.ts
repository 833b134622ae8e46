import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";

const NOW = "$$NOW";

/** The name under which the variables of a command carry its time; clients cannot define upper-case variables. */
export const TIME_VARIABLE = "NOW";

/** The time of a command from its variables, so that its filter and its update see the same `$$NOW`. */
export function commandTime(variables: Document): Date {
  const time = variables[TIME_VARIABLE];
  return time instanceof Date ? time : new Date();
}

/** Replaces `$$NOW` in an expression by a fixed time; what `$literal` holds stays as it is. */
export function bindTime(expression: unknown, now: Date): unknown {
  if (expression === NOW) return now;
  if (Array.isArray(expression)) return expression.map((part) => bindTime(part, now));
  if (!isDocument(expression)) return expression;
  return mapFields(expression, (name, value) => (name === "$literal" ? value : bindTime(value, now)));
}

/** Replaces `$$NOW` in the `$expr` conditions of a filter: elsewhere in a filter it is a plain text. */
export function bindTimeInFilter(filter: unknown, now: Date): unknown {
  if (Array.isArray(filter)) return filter.map((part) => bindTimeInFilter(part, now));
  if (!isDocument(filter)) return filter;
  return mapFields(filter, (name, value) => (name === "$expr" ? bindTime(value, now) : bindTimeInFilter(value, now)));
}

function mapFields(source: Document, map: (name: string, value: unknown) => unknown): Document {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, map(name, value)]));
}
