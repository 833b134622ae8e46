/** A BSON document, or an embedded one: field names in order, values as the decoder yields them. */
export type Document = Record<string, unknown>;

/** Tells whether a value is an embedded document: not an array, and not a BSON wrapper such as ObjectId. */
export function isDocument(value: unknown): value is Document {
  if (value === null || typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets a field, whatever its name: a plain assignment of `__proto__` would change the prototype instead. */
export function setField(target: Document, name: string, value: unknown): void {
  if (name !== "__proto__") {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The document under `name`, or an empty one when the field is missing or of another type. */
export function documentField(source: Document, name: string): Document {
  const value = source[name];
  return isDocument(value) ? value : {};
}

/** The array under `name`, or an empty one when the field is missing or of another type. */
export function arrayField(source: Document, name: string): readonly unknown[] {
  const value = source[name];
  return Array.isArray(value) ? value : [];
}

/** The text under `name`, or undefined when the field is missing or of another type. */
export function textField(source: Document, name: string): string | undefined {
  const value = source[name];
  return typeof value === "string" ? value : undefined;
}

/** Tells whether a value is a document whose first field is an operator, such as `{ $gt: 5 }`. */
export function isOperatorDocument(value: unknown): value is Document {
  return isDocument(value) && (Object.keys(value)[0]?.startsWith("$") ?? false);
}
