import { createExpression } from "../aggregation/expression.ts";
import { badValue, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument, isOperatorDocument } from "../values/document.ts";
import { leavesAt, splitPath } from "../values/field-path.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { equalityPredicate } from "./comparison-operators.ts";
import { createSchemaTest } from "./json-schema.ts";
import { valuePredicate } from "./value-operators.ts";

/** A compiled filter. */
export type Matcher = (document: Document) => boolean;

type TopLevelBuilder = (operand: unknown, variables: Document) => Matcher;

const TOP_LEVEL_OPERATORS: Readonly<Record<string, TopLevelBuilder>> = {
  $and: (operand, variables) => {
    const branches = compileBranches("$and", operand, variables);
    return (document) => branches.every((matches) => matches(document));
  },
  $or: (operand, variables) => {
    const branches = compileBranches("$or", operand, variables);
    return (document) => branches.some((matches) => matches(document));
  },
  $nor: (operand, variables) => {
    const branches = compileBranches("$nor", operand, variables);
    return (document) => !branches.some((matches) => matches(document));
  },
  $expr: (operand, variables) => {
    const evaluate = createExpression(operand, variables);
    return (document) => isTruthy(evaluate(document));
  },
  $jsonSchema: (operand) => createSchemaTest(isDocument(operand) ? operand : badValue("$jsonSchema must be an object")),
  $comment: () => () => true,
  $text: () => {
    throw new ServerError("IndexNotFound", "text index required for $text query");
  },
};

/**
 * Compiles a filter. `variables` are those of the command's `let`.
 * Throws BadValue (2) on an operator it lacks and IndexNotFound (27) on `$text`.
 */
export function compileFilter(filter: unknown, variables: Document = {}): Matcher {
  if (!isDocument(filter)) throw new ServerError("TypeMismatch", "filter must be an object");
  const conditions = Object.keys(filter).map((name) => compileEntry(name, filter[name], variables));
  const [only] = conditions;
  if (only !== undefined && conditions.length === 1) return only;
  return (document) => conditions.every((matches) => matches(document));
}

function compileEntry(name: string, operand: unknown, variables: Document): Matcher {
  if (!name.startsWith("$")) return compileField(name, operand, variables);
  const build = TOP_LEVEL_OPERATORS[name];
  if (build === undefined) badValue(`unknown top level operator: ${name}`);
  return build(operand, variables);
}

function compileField(path: string, operand: unknown, variables: Document): Matcher {
  const inner = (filter: Document): Matcher => compileFilter(filter, variables);
  const matches = isOperatorDocument(operand) ? valuePredicate(operand, inner) : equalityPredicate(operand);
  if (!path.includes(".")) return (document) => matches([document[path]]);
  const parts = splitPath(path);
  return (document) => matches(leavesAt(document, parts));
}

function compileBranches(name: string, operand: unknown, variables: Document): Matcher[] {
  if (!Array.isArray(operand) || operand.length === 0) badValue(`${name} must be a nonempty array`);
  return operand.map((branch: unknown) => compileFilter(branch, variables));
}

function isTruthy(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return !(isNumeric(value) && toNumber(value) === 0);
}
