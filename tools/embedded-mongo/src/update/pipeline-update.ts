import { Aggregator } from "mingo/aggregator";

import { commandTime } from "../aggregation/command-time.ts";
import { OPERATOR_CONTEXT, withServerErrors } from "../aggregation/expression.ts";
import { normaliseStages } from "../aggregation/stages.ts";
import { ServerError } from "../server-error.ts";
import { plainDocument, restoreKinds } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import type { Update } from "./update-function.ts";

const UPDATE_STAGES = new Set(["$set", "$addFields", "$unset", "$project", "$replaceRoot", "$replaceWith"]);

/** Compiles an update pipeline; `$$NOW` is one time for the whole command. */
export function createPipelineUpdate(pipeline: readonly unknown[], variables: Document): Update {
  const stages = normaliseStages(pipeline, commandTime(variables));
  for (const stage of stages) refuseOtherStage(Object.keys(stage)[0] ?? "");
  const options = { context: OPERATOR_CONTEXT, variables: plainDocument(variables) };
  const aggregator = new Aggregator(stages, options);
  return (document) => {
    const [updated] = withServerErrors(() => aggregator.run<Document>([plainDocument(document)]));
    return restoreKinds(updated ?? {}, document) as Document;
  };
}

function refuseOtherStage(name: string): void {
  if (UPDATE_STAGES.has(name)) return;
  throw new ServerError("InvalidOptions", `${name} is not allowed to be used within an update`);
}
