import { z } from "zod";

import { Config } from "./config.ts";

/** JSON Schema (draft 2020-12) of antler.yaml: what may be written, not what defaults make of it. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(Config, { io: "input" }), title: "Configuration of Antler (antler.yaml)" };
}
