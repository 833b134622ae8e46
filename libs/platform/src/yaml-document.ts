import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

import { AntlerError, messageOf } from "@antler/contracts";

export interface YamlDocument {
  /** File name, as it stands in messages. */
  readonly name: string;
  readonly value: unknown;
  /** Line of the value at the path, else of its nearest ancestor below the root. */
  readonly lineAt: (path: readonly string[]) => number | undefined;
}

/** @throws AntlerError `config_invalid` with the line of each syntax error. */
export function parseYaml(text: string, name: string): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings].map(
    ({ message, pos }) => `  ${name} line ${lines.linePos(pos[0]).line}: ${message}`,
  );
  if (faults.length > 0) throw new AntlerError("config_invalid", `Configuration is not YAML:\n${faults.join("\n")}`);
  return { name, value: valueOf(document, name), lineAt: (path) => lineAt(document, lines, path) };
}

function valueOf(document: Document, name: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    throw new AntlerError("config_invalid", `${name} is not YAML that can be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function lineAt(document: Document, lines: LineCounter, path: readonly string[]): number | undefined {
  const [step, ...rest] = path;
  const root = document.contents;
  if (step === undefined || !isNode(root)) return undefined;
  let found = childOf(root, step);
  for (const next of rest) found = childOf(found?.value, next) ?? found;
  return found === undefined ? undefined : lines.linePos(found.offset).line;
}

interface Child {
  readonly value: unknown;
  readonly offset: number;
}

function childOf(parent: unknown, step: string): Child | undefined {
  if (isSeq(parent)) return placed(parent.items[Number(step)], parent.items[Number(step)]);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === step);
  return pair === undefined ? undefined : placed(pair.value, pair.key);
}

function placed(value: unknown, marker: unknown): Child | undefined {
  const offset = isNode(marker) ? (marker as Node).range?.[0] : undefined;
  return offset === undefined ? undefined : { value, offset };
}
