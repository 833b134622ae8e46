import type { Matcher } from "../query/matcher.ts";
import { compileFilter } from "../query/matcher.ts";
import { badValue, ServerError } from "../server-error.ts";
import { equalValues } from "../values/compare.ts";
import { copyDocument } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { arrayField, isDocument } from "../values/document.ts";
import { createModifiers } from "./modifiers.ts";
import { createPipelineUpdate } from "./pipeline-update.ts";
import type { Update } from "./update-function.ts";

/** What an update may refer to besides the document itself. */
export interface UpdateSite {
  readonly filter: Document;
  readonly arrayFilters?: unknown;
  readonly variables?: Document;
}

/** Tells whether an update replaces the whole document. */
export function isReplacement(update: unknown): update is Document {
  return isDocument(update) && !(Object.keys(update)[0]?.startsWith("$") ?? false);
}

/** Compiles a replacement, a pipeline or a document of update operators. */
export function compileUpdate(update: unknown, site: UpdateSite): Update {
  if (Array.isArray(update)) return keepingId(createPipelineUpdate(update, site.variables ?? {}));
  if (isReplacement(update)) return createReplacement(update);
  if (!isDocument(update))
    throw new ServerError("FailedToParse", "Update argument must be either an object or an array");
  return keepingId(createModifiers(update, site.filter, compileArrayFilters(site.arrayFilters)));
}

function createReplacement(replacement: Document): Update {
  return (document) => {
    const { _id: replacementId, ...fields } = replacement;
    const id = document["_id"] ?? replacementId;
    if (replacementId !== undefined && !equalValues(replacementId, id)) immutableId();
    return id === undefined ? copyDocument(fields) : { _id: id, ...copyDocument(fields) };
  };
}

function keepingId(update: Update): Update {
  return (document, isInsert) => {
    const updated = update(document, isInsert);
    const id = document["_id"];
    if (id === undefined) return updated;
    if (!("_id" in updated)) return { _id: id, ...updated };
    if (!equalValues(updated["_id"], id)) immutableId();
    return updated;
  };
}

function immutableId(): never {
  const reason = "the (immutable) field '_id' was found to have been altered";
  throw new ServerError("ImmutableField", `After applying the update, ${reason}`);
}

function compileArrayFilters(filters: unknown): Record<string, Matcher> {
  const entries = arrayField({ filters }, "filters").map((filter) => {
    if (!isDocument(filter)) badValue("Each array filter must be an object");
    return [identifierOf(filter), compileFilter(filter)] as const;
  });
  return Object.fromEntries(entries);
}

function identifierOf(filter: Document): string {
  const [name] = Object.keys(filter);
  if (name === undefined) badValue("Cannot use an expression without a top-level field name in arrayFilters");
  if (!name.startsWith("$")) return name.split(".")[0] ?? name;
  const [branch] = arrayField(filter, name);
  return identifierOf(isDocument(branch) ? branch : {});
}
