import { Aggregator } from "mingo/aggregator";

import { isServerError, ServerError } from "../server-error.ts";
import { plainDocument, plainValue } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { createOperatorContext } from "./mingo-context.ts";

/** A compiled aggregation expression. */
export type Expression = (document: Document) => unknown;

/** The operators, shared by all pipelines: a table without state. */
export const OPERATOR_CONTEXT = createOperatorContext();

/** Compiles an aggregation expression; `$$NOW` is the time of its first evaluation, `variables` those of `let`. */
export function createExpression(expression: unknown, variables: Document = {}): Expression {
  const stage = { $replaceRoot: { newRoot: { result: plainValue(expression) } } };
  const aggregator = new Aggregator([stage], { context: OPERATOR_CONTEXT, variables: plainDocument(variables) });
  return (document) => withServerErrors(() => aggregator.run([plainDocument(document)])[0]?.["result"]);
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
