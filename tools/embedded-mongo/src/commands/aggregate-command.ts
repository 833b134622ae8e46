import { runPipeline } from "../aggregation/pipeline.ts";
import type { Document } from "../values/document.ts";
import { arrayField, documentField } from "../values/document.ts";
import type { CommandRequest, CommandTable } from "./command.ts";
import { variablesOf } from "./command.ts";
import { batchSizeOf } from "./read-commands.ts";

/** The `aggregate` command. */
export const AGGREGATE_COMMANDS: CommandTable = { aggregate };

function aggregate(request: CommandRequest): Document {
  const { command, database, state } = request;
  const source = command["aggregate"];
  const documents = runPipeline(state, {
    database,
    collection: typeof source === "string" ? source : undefined,
    pipeline: arrayField(command, "pipeline"),
    variables: variablesOf(request),
    hint: command["hint"],
  });
  if (command["explain"] === true) return { stages: [] };
  const namespace = `${database}.${typeof source === "string" ? source : "$cmd.aggregate"}`;
  return { cursor: state.cursors.open({ namespace, documents, ...batchSizeOf(documentField(command, "cursor")) }) };
}
