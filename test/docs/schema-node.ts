/** The part of JSON Schema that the configuration uses. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly not?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaNode[];
  /** Forms of an object, told apart by a key with a `const`. */
  readonly oneOf?: readonly SchemaNode[];
  readonly const?: string;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly required?: readonly string[];
}

/** One key of antler.yaml. A name of your choosing stands as `<name>` in the path, an entry of a list as `[]`. */
export interface SchemaKey {
  readonly path: string;
  readonly node: SchemaNode;
  readonly required: boolean;
}

/** Every key below `node` that holds a value, in the order of the schema. */
export function listKeys(node: SchemaNode, path = "", required = false): readonly SchemaKey[] {
  const below = [...propertiesOf(node, path), ...formsOf(node, path), ...entriesOf(node, path)];
  return below.length === 0 || node.description !== undefined ? [{ path, node, required }, ...below] : below;
}

function propertiesOf(node: SchemaNode, path: string): readonly SchemaKey[] {
  return Object.entries(node.properties ?? {})
    .filter(([, child]) => child.not === undefined)
    .flatMap(([name, child]) =>
      listKeys(child, path === "" ? name : `${path}.${name}`, node.required?.includes(name) ?? false),
    );
}

/** Keys that several forms have alike are listed once. */
function formsOf({ oneOf = [] }: SchemaNode, path: string): readonly SchemaKey[] {
  const keys = oneOf.flatMap((form) => propertiesOf(form, path));
  const isSame = (a: SchemaKey, b: SchemaKey) => a.path === b.path && a.node.const === b.node.const;
  return keys.filter((key, index) => keys.findIndex((other) => isSame(key, other)) === index);
}

function entriesOf(node: SchemaNode, path: string): readonly SchemaKey[] {
  const { items, additionalProperties } = node;
  if (items?.properties !== undefined) return listKeys(items, `${path}[]`);
  return typeof additionalProperties === "object" ? listKeys(additionalProperties, `${path}.<name>`) : [];
}

/** The type of a value in words: `integer, 1 to 64`, `list of text, or null`. */
export function typeInWords(node: SchemaNode): string {
  if (node.anyOf !== undefined) return node.anyOf.map(typeInWords).join(", or ");
  if (node.const !== undefined) return `\`${node.const}\``;
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(", ");
  if (node.type === "array") return `list of ${node.items === undefined ? "values" : typeInWords(node.items)}`;
  if (node.type === "object") return "map";
  return `${baseOf(node)}${rangeOf(node)}`;
}

function baseOf(node: SchemaNode): string {
  if (node.format === "uri") return "URL";
  return node.type === "string" ? "text" : (node.type ?? "any");
}

function rangeOf({ minimum, maximum }: SchemaNode): string {
  if (minimum === undefined) return "";
  const open = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  return open ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}
