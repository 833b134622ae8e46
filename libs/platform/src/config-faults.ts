import { z } from "zod";

import { type Environment, ENVIRONMENT_VARIABLES } from "@antler/contracts";

import type { YamlDocument } from "./yaml-document.ts";

export interface ConfigFault {
  readonly path: string;
  readonly message: string;
  /** The variable, or file and line, that the faulty value comes from. */
  readonly place: string;
}

const Faults = z.array(z.object({ path: z.string(), message: z.string() }));

/** Adds to each fault where its value stands. */
export function describeFaults(faults: unknown, document: YamlDocument, environment: Environment): ConfigFault[] {
  return Faults.parse(faults).map(({ path, message }) => ({
    path: path === "" ? "(root)" : path,
    message,
    place: variableOf(path, environment) ?? lineOf(path, document),
  }));
}

function variableOf(path: string, environment: Environment): string | undefined {
  const variable = ENVIRONMENT_VARIABLES.find((candidate) => candidate.path.join(".") === path);
  if (variable === undefined || (environment[variable.name] ?? "") === "") return undefined;
  return `from ${variable.name}`;
}

function lineOf(path: string, { name, lineAt }: YamlDocument): string {
  const line = lineAt(path === "" ? [] : path.split("."));
  return line === undefined ? `not in ${name}` : `${name} line ${line}`;
}
