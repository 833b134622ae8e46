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
    place: variableOf(path, environment) ?? lineOf(path, message, document),
  }));
}

function variableOf(path: string, environment: Environment): string | undefined {
  const variable = ENVIRONMENT_VARIABLES.find((candidate) => candidate.path.join(".") === path);
  if (variable === undefined || (environment[variable.name] ?? "") === "") return undefined;
  return `from ${variable.name}`;
}

/** A key that does not exist is reported at its parent; its own line is the better place. */
function lineOf(path: string, message: string, { name, lineAt }: YamlDocument): string {
  const steps = path === "" ? [] : path.split(".");
  const unknownKey = /^Unrecognized keys?: "([^"]+)"/.exec(message)?.[1];
  const line = (unknownKey === undefined ? undefined : lineAt([...steps, unknownKey])) ?? lineAt(steps);
  return line === undefined ? `not in ${name}` : `${name} line ${line}`;
}
