import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A message as a released version wrote it. These files never change: what was once written is read for ever. */
export function readGolden(name: string): { readonly text: string; readonly value: Record<string, unknown> } {
  const text = readFileSync(join(import.meta.dirname, "golden", `${name}.json`), "utf8");
  return { text, value: JSON.parse(text) as Record<string, unknown> };
}
