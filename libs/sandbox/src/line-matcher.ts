import { AntlerError, messageOf } from "@antler/contracts";

export interface LinePattern {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
}

/** Tells which lines match. Errors: `invalid_request` for a regular expression that cannot be read. */
export function lineMatcher({ pattern, ignoreCase, literal }: LinePattern): (line: string) => boolean {
  if (pattern === "") throw new AntlerError("invalid_request", "Field pattern must not be empty");
  if (literal) return literalMatcher(pattern, ignoreCase);
  const expression = compile(pattern, ignoreCase);
  return (line) => expression.test(line);
}

function literalMatcher(pattern: string, ignoreCase: boolean): (line: string) => boolean {
  if (!ignoreCase) return (line) => line.includes(pattern);
  const lower = pattern.toLowerCase();
  return (line) => line.toLowerCase().includes(lower);
}

const INLINE_FLAG = /^\(\?i\)/;

/** By code points where the expression allows it; a leading `(?i)`, as other tools have it, is understood. */
function compile(pattern: string, ignoreCase: boolean): RegExp {
  const source = pattern.replace(INLINE_FLAG, "");
  const flags = ignoreCase || source !== pattern ? "i" : "";
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return compileLenient(source, flags);
  }
}

function compileLenient(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new AntlerError("invalid_request", `Field pattern is not a regular expression: ${messageOf(error)}`);
  }
}
