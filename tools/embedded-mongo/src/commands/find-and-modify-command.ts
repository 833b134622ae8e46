import { findRecords } from "../query/find-records.ts";
import { compileProjection } from "../query/projection.ts";
import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { documentField } from "../values/document.ts";
import type { CommandRequest, CommandTable } from "./command.ts";
import { namespaceOf, variablesOf } from "./command.ts";
import type { UpdateOutcome } from "./update-statement.ts";
import { applyUpdate } from "./update-statement.ts";

/** The command behind `findOneAndUpdate`, `findOneAndReplace` and `findOneAndDelete`. */
export const FIND_AND_MODIFY_COMMANDS: CommandTable = { findandmodify: findAndModify };

function findAndModify(request: CommandRequest): Document {
  const { command } = request;
  if (command["remove"] === true) return findAndRemove(request);
  if (command["update"] === undefined) {
    throw new ServerError("FailedToParse", "Either an update or remove=true must be specified");
  }
  return replyOf(request, applyUpdate(request.state, statementOf(request)));
}

function statementOf(request: CommandRequest): Parameters<typeof applyUpdate>[1] {
  const { command } = request;
  return {
    namespace: namespaceOf(request),
    filter: documentField(command, "query"),
    update: command["update"],
    isMulti: false,
    isUpsert: command["upsert"] === true,
    sort: command["sort"],
    hint: command["hint"],
    arrayFilters: command["arrayFilters"],
    variables: variablesOf(request),
  };
}

function findAndRemove(request: CommandRequest): Document {
  const { state } = request;
  const collection = state.catalog.find(namespaceOf(request));
  const [record] = findRecords(collection, { ...statementOf(request), limit: 1 });
  if (record === undefined || collection === undefined) return { lastErrorObject: { n: 0 }, value: null };
  state.writer.remove(collection, record);
  return { lastErrorObject: { n: 1 }, value: projected(request, record.document) };
}

function replyOf(request: CommandRequest, outcome: UpdateOutcome): Document {
  const isNewWanted = request.command["new"] === true;
  const document = isNewWanted ? outcome.after : outcome.before;
  const upserted = outcome.upserted === undefined ? {} : { upserted: outcome.upserted.document["_id"] };
  const n = outcome.matched + (outcome.upserted === undefined ? 0 : 1);
  const lastErrorObject = { n, updatedExisting: outcome.matched > 0, ...upserted };
  return { lastErrorObject, value: document === undefined ? null : projected(request, document) };
}

function projected({ command }: CommandRequest, document: Document): Document {
  return compileProjection(command["fields"], documentField(command, "query"))(document);
}
