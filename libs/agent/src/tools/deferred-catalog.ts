import { createHash } from "node:crypto";

import { AntlerError } from "@antler/contracts";

import type { PromotedTools } from "../thread-state.ts";

/** A tool whose schema a model is not shown before it asked for it. */
export interface DeferredTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

export interface DeferredCatalog {
  /** Of all that the catalog holds; promotions count for the catalog that they were made in and no other. */
  readonly hash: string;
  readonly tools: readonly DeferredTool[];
}

const HASH_CHARS = 16;

/** The catalog of the tools that are left after every filter; null when search is off or there is nothing to defer. */
export function deferredCatalog(tools: readonly DeferredTool[], isEnabled: boolean): DeferredCatalog | null {
  if (!isEnabled || tools.length === 0) return null;
  const entries = tools
    .map(({ name, description, schema }) => ({ name, description, schema }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, HASH_CHARS);
  return { hash, tools: entries };
}

/** Whether a tool is hidden from the model and may not run: it is in the catalog, and no promotion of that catalog names it. */
export function isWithheld(
  catalog: DeferredCatalog | null,
  promoted: PromotedTools | undefined,
  name: string,
): boolean {
  if (catalog?.tools.some((tool) => tool.name === name) !== true) return false;
  return promoted?.catalog_hash !== catalog.hash || !promoted.names.includes(name);
}

/**
 * While search is on no MCP tool may be shown that the catalog does not hold.
 * @throws AntlerError `internal` that names those tools.
 */
export function assertDeferred(
  candidates: readonly { readonly name: string }[],
  catalog: DeferredCatalog | null,
): void {
  const deferred = new Set(catalog?.tools.map(({ name }) => name));
  const shown = candidates.filter(({ name }) => !deferred.has(name)).map(({ name }) => name);
  if (shown.length === 0) return;
  throw new AntlerError(
    "internal",
    `tools.tool_search is enabled, yet these MCP tools are not deferred: ${shown.join(", ")}`,
  );
}
