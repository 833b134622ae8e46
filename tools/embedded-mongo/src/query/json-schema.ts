import { compareValues, equalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { arrayField, documentField, isDocument } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { isOfType } from "../values/type-name.ts";

/** Tests a value against a compiled `$jsonSchema`. */
export type SchemaTest = (value: unknown) => boolean;

type Keyword = (value: unknown, schema: Document) => boolean;

const JSON_TYPES: Readonly<Record<string, string>> = { integer: "int", boolean: "bool" };

const KEYWORDS: readonly Keyword[] = [
  hasType,
  isInEnumeration,
  hasFields,
  isInNumberRange,
  isInTextRange,
  isInArrayRange,
  meetsCombinations,
];

/** Compiles the part of `$jsonSchema` that validators commonly use; other keywords are ignored. */
export function createSchemaTest(schema: Document): SchemaTest {
  return (value) => meets(value, schema);
}

function meets(value: unknown, schema: unknown): boolean {
  return !isDocument(schema) || KEYWORDS.every((keyword) => keyword(value, schema));
}

function hasType(value: unknown, schema: Document): boolean {
  const type = schema["bsonType"] ?? schema["type"];
  if (type === undefined) return true;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return names.some((name) => isOfType(value, JSON_TYPES[String(name)] ?? name));
}

function isInEnumeration(value: unknown, schema: Document): boolean {
  const members = schema["enum"];
  return !Array.isArray(members) || members.some((member) => equalValues(member, value));
}

function hasFields(value: unknown, schema: Document): boolean {
  if (!isDocument(value)) return true;
  if (!arrayField(schema, "required").every((name) => value[String(name)] !== undefined)) return false;
  const properties = documentField(schema, "properties");
  const present = Object.keys(properties).filter((name) => value[name] !== undefined);
  if (!present.every((name) => meets(value[name], properties[name]))) return false;
  return schema["additionalProperties"] !== false || Object.keys(value).every((name) => name in properties);
}

function isInNumberRange(value: unknown, schema: Document): boolean {
  if (!isNumeric(value)) return true;
  const { minimum, maximum } = schema;
  return (
    (minimum === undefined || compareValues(value, minimum) >= 0) &&
    (maximum === undefined || compareValues(value, maximum) <= 0)
  );
}

function isInTextRange(value: unknown, schema: Document): boolean {
  if (typeof value !== "string") return true;
  const pattern = schema["pattern"];
  const hasPattern = typeof pattern !== "string" || new RegExp(pattern).test(value);
  return hasPattern && isLengthWithin(value.length, schema["minLength"], schema["maxLength"]);
}

function isInArrayRange(value: unknown, schema: Document): boolean {
  if (!Array.isArray(value)) return true;
  const hasItems = value.every((element) => meets(element, schema["items"]));
  return hasItems && isLengthWithin(value.length, schema["minItems"], schema["maxItems"]);
}

function isLengthWithin(length: number, least: unknown, most: unknown): boolean {
  return (least === undefined || length >= toNumber(least)) && (most === undefined || length <= toNumber(most));
}

function meetsCombinations(value: unknown, schema: Document): boolean {
  const { anyOf, oneOf, not } = schema;
  if (!arrayField(schema, "allOf").every((branch) => meets(value, branch))) return false;
  if (Array.isArray(anyOf) && !anyOf.some((branch) => meets(value, branch))) return false;
  if (Array.isArray(oneOf) && oneOf.filter((branch) => meets(value, branch)).length !== 1) return false;
  return not === undefined || !meets(value, not);
}
