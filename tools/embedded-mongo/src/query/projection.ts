import type { Expression } from "../aggregation/expression.ts";
import { createExpression } from "../aggregation/expression.ts";
import { badValue, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument, isOperatorDocument } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import type { ValuePredicate } from "./leaf-predicate.ts";
import { compileFilter } from "./matcher.ts";
import { matchedElementIndex } from "./positional.ts";
import type { ProjectionTree } from "./projection-tree.ts";
import { addPath, dropFields, keepFields } from "./projection-tree.ts";
import { elementTest } from "./value-operators.ts";

/** Shapes a document for the reply. */
export type Projection = (document: Document) => Document;

interface Plan {
  mode: "include" | "exclude" | undefined;
  idWanted: boolean | undefined;
  readonly tree: ProjectionTree;
  readonly steps: Projection[];
  readonly expressions: Record<string, unknown>;
}

/** Compiles a projection; `filter` is what a positional `field.$` refers to. */
export function compileProjection(specification: unknown, filter: Document = {}): Projection {
  if (!isDocument(specification) || Object.keys(specification).length === 0) return (document) => document;
  const plan: Plan = { mode: undefined, idWanted: undefined, tree: {}, steps: [], expressions: {} };
  for (const name of Object.keys(specification)) addEntry(plan, name, specification[name], filter);
  const shape = baseShape(plan);
  const steps = [shape, ...plan.steps.map(keepingSource), ...expressionSteps(plan)];
  return (document) => steps.reduce((shaped, step) => step(document, shaped), document);
}

type Step = (source: Document, shaped: Document) => Document;

/** A step computes fields from the stored document and lays them over what is shaped so far. */
function keepingSource(step: Projection): Step {
  return (source, shaped) => {
    const fields = step(source);
    const merged = { ...shaped, ...fields };
    for (const name of Object.keys(fields)) if (fields[name] === undefined) Reflect.deleteProperty(merged, name);
    return merged;
  };
}

function expressionSteps(plan: Plan): Step[] {
  if (Object.keys(plan.expressions).length === 0) return [];
  const evaluate: Expression = createExpression(plan.expressions);
  return [keepingSource((document) => evaluate(document) as Document)];
}

function baseShape(plan: Plan): Step {
  const isInclusion =
    (plan.mode ?? (plan.idWanted === true && plan.steps.length === 0 ? "include" : "exclude")) === "include";
  const tree = { ...plan.tree };
  if (isInclusion && plan.idWanted !== false) tree["_id"] = true;
  if (!isInclusion && plan.idWanted === false) tree["_id"] = true;
  return (source) => (isInclusion ? keepFields(source, tree) : dropFields(source, tree));
}

function addEntry(plan: Plan, name: string, value: unknown, filter: Document): void {
  if (name.endsWith(".$")) addPositional(plan, name.slice(0, -2), filter);
  else if (isOperatorDocument(value)) addOperator(plan, name, value);
  else if (isDocument(value))
    for (const inner of Object.keys(value)) addEntry(plan, `${name}.${inner}`, value[inner], filter);
  else if (typeof value === "string" || Array.isArray(value)) addExpression(plan, name, value);
  else addFlag(plan, name, !(value === false || (isNumeric(value) && toNumber(value) === 0)));
}

function addFlag(plan: Plan, name: string, isWanted: boolean): void {
  if (name === "_id") {
    plan.idWanted = isWanted;
    return;
  }
  setMode(plan, name, isWanted ? "include" : "exclude");
  addPath(plan.tree, name);
}

function setMode(plan: Plan, name: string, mode: "include" | "exclude"): void {
  if (plan.mode !== undefined && plan.mode !== mode) {
    const code = mode === "include" ? "Location31253" : "Location31254";
    const noun = mode === "include" ? "inclusion" : "exclusion";
    throw new ServerError(
      code,
      `Cannot do ${noun} on field ${name} in ${plan.mode === "include" ? "inclusion" : "exclusion"} projection`,
    );
  }
  plan.mode = mode;
}

function addExpression(plan: Plan, name: string, value: unknown): void {
  if (name.includes(".")) badValue(`A computed field cannot have a dotted name: ${name}`);
  plan.expressions[name] = value;
  plan.mode ??= "include";
}

function addOperator(plan: Plan, name: string, operators: Document): void {
  const slice = operators["$slice"];
  if (slice !== undefined && isSliceOperand(slice))
    plan.steps.push((document) => ({ [name]: sliced(document[name], slice) }));
  else if ("$elemMatch" in operators) addElementMatch(plan, name, operators["$elemMatch"]);
  else addExpression(plan, name, operators);
}

const isSliceOperand = (slice: unknown): boolean => isNumeric(slice) || (Array.isArray(slice) && isNumeric(slice[0]));

function sliced(value: unknown, operand: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const [first, second] = Array.isArray(operand) ? operand.map(toNumber) : [toNumber(operand)];
  if (first === undefined) return value;
  if (second === undefined) return first < 0 ? value.slice(first) : value.slice(0, first);
  const start = first < 0 ? Math.max(0, value.length + first) : first;
  return value.slice(start, start + second);
}

function addElementMatch(plan: Plan, name: string, operand: unknown): void {
  const test: ValuePredicate = elementTest(operand, compileFilter);
  plan.mode ??= "include";
  plan.steps.push((document) => {
    const array = document[name];
    const found: unknown = Array.isArray(array) ? array.find(test) : undefined;
    return { [name]: found === undefined ? undefined : [found] };
  });
}

function addPositional(plan: Plan, path: string, filter: Document): void {
  setMode(plan, path, "include");
  addPath(plan.tree, path);
  plan.steps.push((document) => {
    const array = document[path];
    if (!Array.isArray(array)) return {};
    const at = matchedElementIndex(document, path, filter);
    return { [path]: at < 0 ? [] : [array[at] as unknown] };
  });
}
