import { ServerError } from "../server-error.ts";
import { plainValue } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { arrayField, isDocument, isOperatorDocument } from "../values/document.ts";
import { bindTime, bindTimeInFilter } from "./command-time.ts";

const SCRIPT_OPERATORS = /"\$(function|accumulator|where)":/;

/**
 * Checks a pipeline's stages and writes them as the aggregation library needs them.
 * `now` is what `$$NOW` stands for. Throws 40323 on a stage that does not have exactly one field, 31034 on server-side JavaScript.
 */
export function normaliseStages(pipeline: readonly unknown[], now: Date): Document[] {
  if (SCRIPT_OPERATORS.test(JSON.stringify(pipeline))) {
    throw new ServerError("Location31034", "server-side JavaScript is not supported");
  }
  return pipeline.map((stage) => normaliseStage(stageOf(stage), now));
}

/** Checks that a pipeline stage is a document of one field. */
export function stageOf(stage: unknown): Document {
  if (isDocument(stage) && Object.keys(stage).length === 1) return stage;
  const message = "A pipeline stage specification object must contain exactly one field.";
  throw new ServerError("Location40323", message);
}

function normaliseStage(stage: Document, now: Date): Document {
  const name = Object.keys(stage)[0] ?? "";
  const operand = plainValue(stage[name]);
  if (name === "$match") return { [name]: bindTimeInFilter(operand, now) };
  return { [name]: normaliseOperand(name, operand, now) };
}

function normaliseOperand(name: string, operand: unknown, now: Date): unknown {
  if (name === "$unionWith" && typeof operand === "string") return { coll: operand };
  if (!isDocument(operand)) return bindTime(operand, now);
  if (name === "$set" || name === "$addFields") return bindTime(Object.fromEntries(flattenFields(operand, "")), now);
  if (name === "$facet") return normaliseFacets(operand, now);
  const { pipeline, ...rest } = operand;
  if (!Array.isArray(pipeline)) return bindTime(operand, now);
  return { ...(bindTime(rest, now) as Document), pipeline: normaliseStages(pipeline, now) };
}

function normaliseFacets(facets: Document, now: Date): Document {
  return Object.fromEntries(Object.keys(facets).map((name) => [name, normaliseStages(arrayField(facets, name), now)]));
}

/** `{ $set: { a: { b: 1 } } }` changes `a.b` and keeps the other fields of `a`: it is written as `a.b`. */
function flattenFields(fields: Document, prefix: string): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const isNested = isDocument(value) && !isOperatorDocument(value) && Object.keys(value).length > 0;
    return isNested ? flattenFields(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]];
  });
}
