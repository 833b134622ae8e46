type Dict = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  HumanMessageChunk: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  RemoveMessage: "remove",
};

const FIELDS = [
  "id",
  "name",
  "content",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
] as const;

/** Channel values as clients read them: every message, at whatever depth, as a flat dictionary with `type`. */
export function plainValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValues);
  if (!isDict(value)) return value;
  const message = flatMessage(value);
  if (message !== undefined) return message;
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plainValues(entry)]));
}

/** A message object, or its serialized constructor form, as a flat dictionary; undefined for anything else. */
export function flatMessage(value: Dict): Dict | undefined {
  const { getType, kwargs, lc, id } = value as { getType?: unknown; kwargs?: unknown; lc?: unknown; id?: unknown };
  if (typeof getType === "function") return picked(value, String(getType.call(value)));
  if (lc !== 1 || !isDict(kwargs) || !Array.isArray(id)) return undefined;
  const type = TYPES[String(id.at(-1))];
  return type === undefined ? undefined : picked(kwargs, type);
}

function picked(fields: Dict, type: string): Dict {
  const present = FIELDS.filter((field) => fields[field] !== undefined);
  return { type, ...Object.fromEntries(present.map((field) => [field, plainValues(fields[field])])) };
}

function isDict(value: unknown): value is Dict {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
