import { Aggregator } from "mingo/aggregator";

import { isServerError, ServerError } from "../server-error.ts";
import { plainDocument, plainValue } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { isDocument, setField } from "../values/document.ts";
import { bindTime, commandTime } from "./command-time.ts";
import { createOperatorContext } from "./mingo-context.ts";

/** A compiled aggregation expression. */
export type Expression = (document: Document) => unknown;

/** The operators, shared by all pipelines: a table without state. */
export const OPERATOR_CONTEXT = createOperatorContext();

/** Compiles an aggregation expression; `variables` are those of the command, its time among them. */
export function createExpression(expression: unknown, variables: Document = {}): Expression {
  const stage = { $replaceRoot: { newRoot: { result: bindTime(plainValue(expression), commandTime(variables)) } } };
  const aggregator = new Aggregator([stage], { context: OPERATOR_CONTEXT, variables: plainDocument(variables) });
  const names = referencedFields(expression);
  return (document) => {
    const input = names === undefined ? plainDocument(document) : plainFields(document, names);
    return withServerErrors(() => aggregator.run([input])[0]?.["result"]);
  };
}

/** Operators that name a field of the document without a dollar sign. */
const NAMED_FIELD_OPERATORS = new Set(["$getField", "$setField", "$unsetField"]);

/** The top-level fields that an expression refers to, or undefined when it may refer to any. */
function referencedFields(expression: unknown): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  return collectFields(expression, names) ? names : undefined;
}

/** Adds the fields below `expression` to `names`; false when one names the document as a whole. */
function collectFields(expression: unknown, names: Set<string>): boolean {
  if (typeof expression === "string") return collectField(expression, names);
  if (Array.isArray(expression)) return expression.every((part) => collectFields(part, names));
  if (!isDocument(expression)) return true;
  if (Object.keys(expression).some((name) => NAMED_FIELD_OPERATORS.has(name))) return false;
  return Object.values(expression).every((part) => collectFields(part, names));
}

function collectField(text: string, names: Set<string>): boolean {
  if (/^\$\$(ROOT|CURRENT)\b/.test(text)) return false;
  if (text.startsWith("$") && !text.startsWith("$$")) names.add(text.slice(1).split(".")[0] ?? "");
  return true;
}

function plainFields(document: Document, names: ReadonlySet<string>): Document {
  const input: Document = {};
  for (const name of names) if (Object.hasOwn(document, name)) setField(input, name, plainValue(document[name]));
  return input;
}

/** Runs an evaluation and turns what the library throws into MongoDB's errors. */
export function withServerErrors<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (isServerError(error)) throw error;
    throw libraryError(error instanceof Error ? error.message : String(error), error);
  }
}

function libraryError(message: string, cause: unknown): ServerError {
  const stage = /unregistered pipeline operator (\S+?)\.?$/.exec(message)?.[1];
  if (stage !== undefined) return new ServerError("Location40324", `Unrecognized pipeline stage name: '${stage}'`);
  const operator = /(?:accumulator|operator) '(\$\w+)' is not registered/.exec(message)?.[1];
  if (operator !== undefined)
    return Object.assign(new ServerError("Location31325", `Unknown expression ${operator}`), { cause });
  return Object.assign(new ServerError("BadValue", message), { cause });
}
