import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { valuesAt } from "../values/field-path.ts";
import type { ValuePredicate } from "./leaf-predicate.ts";
import { compileFilter } from "./matcher.ts";
import { elementTest } from "./value-operators.ts";

/** The index of the first element of the array at `path` that the filter matched, or -1. */
export function matchedElementIndex(document: Document, path: string, filter: Document): number {
  const [array] = valuesAt(document, path);
  const tests = conditionsOn(path, filter);
  if (!Array.isArray(array) || tests.length === 0) return -1;
  return array.findIndex((element) => tests.every((test) => test(element)));
}

function conditionsOn(path: string, filter: Document): ValuePredicate[] {
  return Object.keys(filter).flatMap((name) => {
    const operand = filter[name];
    if (name === "$and" && Array.isArray(operand))
      return operand.filter(isDocument).flatMap((one) => conditionsOn(path, one));
    if (name !== path && !name.startsWith(`${path}.`)) return [];
    return [conditionOnElement(name.slice(path.length), operand)];
  });
}

function conditionOnElement(rest: string, operand: unknown): ValuePredicate {
  if (rest === "" && isDocument(operand) && "$elemMatch" in operand)
    return elementTest(operand["$elemMatch"], compileFilter);
  const matches = compileFilter({ [`element${rest}`]: operand });
  return (element) => matches({ element });
}
