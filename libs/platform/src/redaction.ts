const SECRET_NAMES =
  /^(x-)?api[-_]?keys?$|^(proxy-)?authorization$|passw(or)?d$|secret$|^cookie$|^set-cookie$|_token$|^token$/i;
const REDACTED = "[redacted]";
const MAX_DEPTH = 6;

type Fields = Record<string, unknown>;

/** A copy of a line's fields in which values under secret names are replaced, however deep they lie. */
export function withoutSecrets(fields: object): Fields {
  return cleanFields(fields, 0);
}

function cleanFields(fields: object, depth: number): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [name, cleanField(name, value, depth)] as const);
  return Object.fromEntries(entries);
}

function cleanField(name: string, value: unknown, depth: number): unknown {
  if (SECRET_NAMES.test(name) && (typeof value === "string" || Array.isArray(value))) return REDACTED;
  return cleanValue(value, depth + 1);
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (value instanceof Error) return errorFields(value, depth);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, depth + 1));
  return isPlain(value) ? cleanFields(value, depth) : value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Errors keep type, code, message, stack and cause, whatever the field is called. */
function errorFields(error: Error, depth: number): Fields {
  const { name, message, stack, cause } = error;
  const known = { type: name, message, stack };
  const chain = cause === undefined ? {} : { cause: cleanValue(cause, depth + 1) };
  return { ...cleanFields(error, depth), ...known, ...chain };
}
