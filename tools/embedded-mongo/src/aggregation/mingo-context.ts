import { Context, evalExpr } from "mingo/core";
import { Lazy } from "mingo/lazy";
import * as accumulators from "mingo/operators/accumulator";
import * as expressions from "mingo/operators/expression";
import * as stages from "mingo/operators/pipeline";
import * as projections from "mingo/operators/projection";
import * as queries from "mingo/operators/query";
import * as windows from "mingo/operators/window";
import type { Options } from "mingo/types";

import { sortBy, sortKeysOf } from "../query/sorter.ts";
import { badValue } from "../server-error.ts";
import { compareValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { valueKey } from "../values/value-key.ts";

type Comparison = (order: number) => boolean;

/**
 * The operators of the aggregation engine. Those where MongoDB compares across types, or tells a missing value from
 * null, replace the library's own.
 */
export function createOperatorContext(): Context {
  const library = Context.init({
    accumulator: accumulators,
    expression: expressions,
    pipeline: stages,
    projection: projections,
    query: queries,
    window: windows,
  });
  return Context.from(createReplacements(), library);
}

function createReplacements(): Context {
  return Context.init({
    expression: {
      $cmp: (value: unknown, operands: unknown, options: Options) => compareOperands(value, operands, options),
      $eq: comparison((order) => order === 0),
      $ne: comparison((order) => order !== 0),
      $gt: comparison((order) => order > 0),
      $gte: comparison((order) => order >= 0),
      $lt: comparison((order) => order < 0),
      $lte: comparison((order) => order <= 0),
    },
    accumulator: { $push: collect, $addToSet: collectDistinct, $min: least(1), $max: least(-1) },
    pipeline: { $sort: sortStage },
  } as unknown as Parameters<typeof Context.init>[0]);
}

function comparison(accepts: Comparison) {
  return (value: unknown, operands: unknown, options: Options): boolean =>
    accepts(compareOperands(value, operands, options));
}

function compareOperands(value: unknown, operands: unknown, options: Options): number {
  const evaluated: unknown = evalExpr(value, operands, options);
  if (!Array.isArray(evaluated) || evaluated.length !== 2) badValue("A comparison takes exactly two arguments");
  const [left, right] = evaluated as readonly unknown[];
  const presence = Number(left !== undefined) - Number(right !== undefined);
  return left === undefined || right === undefined ? presence : compareValues(left, right);
}

/** The values of an expression over a group, without those that are missing. */
function collect(group: unknown[], expression: unknown, options: Options): unknown[] {
  if (expression === null || expression === undefined) return group.filter((value) => value !== undefined);
  const boxed = accumulators.$push(group, { value: expression }, options) as readonly Document[];
  return boxed.map((box) => box["value"]).filter((value) => value !== undefined);
}

function collectDistinct(group: unknown[], expression: unknown, options: Options): unknown[] {
  const distinct = new Map(collect(group, expression, options).map((value) => [valueKey(value), value]));
  return [...distinct.values()];
}

function least(direction: 1 | -1) {
  return (group: unknown[], expression: unknown, options: Options): unknown => {
    const isBetter = (value: unknown, best: unknown): boolean => compareValues(value, best) * direction < 0;
    let best: unknown = null;
    for (const value of collect(group, expression, options)) {
      if (value !== null && (best === null || isBetter(value, best))) best = value;
    }
    return best;
  };
}

function sortStage(input: ReturnType<typeof Lazy>, specification: unknown): ReturnType<typeof Lazy> {
  if (!isDocument(specification)) badValue("the $sort key specification must be an object");
  const keys = sortKeysOf(specification);
  return input.transform((documents) => Lazy(sortBy(documents as Document[], keys, (document) => document)));
}
