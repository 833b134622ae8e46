import type { Document } from "../values/document.ts";
import { isDocument, setField } from "../values/document.ts";
import { splitPath } from "../values/field-path.ts";

/** The fields of a projection as a tree: `true` ends a path. */
export interface ProjectionTree {
  [name: string]: ProjectionTree | true;
}

/** Adds a dotted path to a tree. */
export function addPath(tree: ProjectionTree, path: string): void {
  const parts = splitPath(path);
  let node = tree;
  for (const part of parts.slice(0, -1)) {
    const child = node[part];
    const next: ProjectionTree = child === undefined || child === true ? {} : child;
    node[part] = next;
    node = next;
  }
  node[parts.at(-1) ?? ""] = true;
}

/** The document with only the fields of the tree. */
export function keepFields(document: Document, tree: ProjectionTree): Document {
  const kept: Document = {};
  for (const name of Object.keys(document)) {
    const node = tree[name];
    const value = document[name];
    if (node === true) setField(kept, name, value);
    else if (isDocument(value) && node !== undefined) kept[name] = keepFields(value, node);
    else if (Array.isArray(value) && node !== undefined) kept[name] = keepInArray(value, node);
  }
  return kept;
}

function keepInArray(array: readonly unknown[], node: ProjectionTree): unknown[] {
  const containers = array.filter((element) => isDocument(element) || Array.isArray(element));
  return containers.map((element) => (isDocument(element) ? keepFields(element, node) : element));
}

/** The document without the fields of the tree. */
export function dropFields(document: Document, tree: ProjectionTree): Document {
  const rest: Document = {};
  for (const name of Object.keys(document)) {
    const node = tree[name];
    if (node !== true) setField(rest, name, node === undefined ? document[name] : dropInValue(document[name], node));
  }
  return rest;
}

function dropInValue(value: unknown, node: ProjectionTree): unknown {
  if (isDocument(value)) return dropFields(value, node);
  if (!Array.isArray(value)) return value;
  return value.map((element: unknown) => (isDocument(element) ? dropFields(element, node) : element));
}
