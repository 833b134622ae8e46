import { findRecords } from "../query/find-records.ts";
import type { Document } from "../values/document.ts";
import { documentField } from "../values/document.ts";
import { toCount } from "../values/numbers.ts";
import type { CommandRequest, CommandTable } from "./command.ts";
import { namespaceOf, variablesOf } from "./command.ts";
import { applyUpdate } from "./update-statement.ts";
import { applyBatch } from "./write-batch.ts";

/** The commands that write documents in batches. */
export const WRITE_COMMANDS: CommandTable = { insert, update, delete: remove };

function insert(request: CommandRequest): Document {
  const { command, state } = request;
  const collection = state.writer.ensureCollection(namespaceOf(request));
  let n = 0;
  const errors = applyBatch(command, "documents", (document) => {
    state.writer.insert(collection, document);
    n++;
  });
  return { n, ...errors };
}

function update(request: CommandRequest): Document {
  const { command, state } = request;
  const upserted: Document[] = [];
  let n = 0;
  let nModified = 0;
  const errors = applyBatch(command, "updates", (entry, index) => {
    const outcome = applyUpdate(state, statementOf(request, entry));
    n += outcome.matched;
    nModified += outcome.modified;
    if (outcome.upserted === undefined) return;
    n++;
    upserted.push({ index, _id: outcome.upserted.document["_id"] });
  });
  return { n, nModified, ...(upserted.length === 0 ? {} : { upserted }), ...errors };
}

function statementOf(request: CommandRequest, entry: Document): Parameters<typeof applyUpdate>[1] {
  return {
    namespace: namespaceOf(request),
    filter: documentField(entry, "q"),
    update: entry["u"],
    isMulti: entry["multi"] === true,
    isUpsert: entry["upsert"] === true,
    sort: entry["sort"],
    hint: entry["hint"],
    arrayFilters: entry["arrayFilters"],
    variables: { ...documentField(entry, "c"), ...variablesOf(request) },
  };
}

function remove(request: CommandRequest): Document {
  const { command, state } = request;
  const collection = state.catalog.find(namespaceOf(request));
  let n = 0;
  const errors = applyBatch(command, "deletes", (entry) => {
    const query = {
      filter: documentField(entry, "q"),
      limit: toCount(entry["limit"], 0),
      hint: entry["hint"],
      variables: variablesOf(request),
    };
    for (const record of findRecords(collection, query)) {
      if (collection === undefined) return;
      state.writer.remove(collection, record);
      n++;
    }
  });
  return { n, ...errors };
}
