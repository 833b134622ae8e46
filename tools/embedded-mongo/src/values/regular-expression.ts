import type { BSONRegExp } from "bson";

import { ServerError } from "../server-error.ts";
import { TYPE_RANK, typeRank } from "./type-order.ts";

/** The text of a regular expression and its option letters. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Tells whether a value is a regular expression, BSON's or JavaScript's. */
export function isRegularExpression(value: unknown): value is RegExp | BSONRegExp {
  return typeRank(value) === TYPE_RANK.regularExpression;
}

/** The text and options of a regular expression of either kind; any other value is taken as the text. */
export function patternOf(value: unknown): Pattern {
  if (value instanceof RegExp) return { source: value.source, flags: value.flags };
  if (!isRegularExpression(value)) return { source: String(value), flags: "" };
  return "pattern" in value ? { source: value.pattern, flags: value.options } : value;
}

/** Compiles a pattern for matching; `options` replaces the pattern's own. Throws code 51091 on bad syntax. */
export function compileRegularExpression(value: unknown, options?: unknown): RegExp {
  const pattern = patternOf(value);
  const letters = typeof options === "string" ? options : pattern.flags;
  const source = letters.includes("x") ? pattern.source.replaceAll(/\s+|#.*$/gm, "") : pattern.source;
  try {
    return new RegExp(source, letters.replaceAll(/[^imsu]/g, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServerError("Location51091", `Regular expression is invalid: ${reason}`);
  }
}
