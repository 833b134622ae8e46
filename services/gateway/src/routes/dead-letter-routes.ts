import { z } from "zod";

import { AntlerError, DeadLetterView, RunView } from "@antler/contracts";
import type { DeadLetterRow } from "@antler/store";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { cursorOf, ListCursor } from "../http/list-cursor.ts";
import { TENANT } from "../http/lookups.ts";
import { DeadLetterPath, runUrl } from "../http/paths.ts";
import { deadLetterViewOf } from "../views/dead-letter-view.ts";
import { runViewOf } from "../views/run-view.ts";

type DeadLetterDeps = Pick<GatewayDeps, "deadLetters" | "usageOf">;

const LettersQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(10),
  cursor: ListCursor.optional(),
});

/** A letter that belongs to no tenant is the operator's, and so is the one tenant that there is. */
const OWNERS = [TENANT, null];

/** Messages that no worker could use: to see, to retry and to discard. */
export function deadLetterRoutes(app: GatewayApp, deps: DeadLetterDeps): void {
  const tags = ["dead letters"];

  app.get(
    "/deadletters",
    { schema: { querystring: LettersQuery, response: { 200: z.array(DeadLetterView) }, tags } },
    async ({ query: { limit, cursor: after } }, reply) => {
      const page = { limit: limit + 1, owners: OWNERS, ...(after !== undefined && { after }) };
      const found = await deps.deadLetters.list(page);
      const letters = found.slice(0, limit);
      const last = letters.at(-1);
      if (found.length > limit && last !== undefined) reply.header("x-pagination-next", cursorOf(last));
      return letters.map(deadLetterViewOf);
    },
  );

  app.get(
    "/deadletters/:dead_letter_id",
    { schema: { params: DeadLetterPath, response: { 200: DeadLetterView }, tags } },
    async ({ params }) => deadLetterViewOf(await expectLetter(deps, params.dead_letter_id)),
  );

  app.post(
    "/deadletters/:dead_letter_id/retry",
    { schema: { params: DeadLetterPath, response: { 200: RunView }, tags } },
    async ({ params, trace }, reply) => {
      const run = await deps.deadLetters.retry(await expectLetter(deps, params.dead_letter_id), trace);
      reply.header("content-location", runUrl(run));
      return runViewOf(run, await deps.usageOf({ runId: run._id }));
    },
  );

  app.delete(
    "/deadletters/:dead_letter_id",
    { schema: { params: DeadLetterPath, tags } },
    async ({ params }, reply) => {
      const { _id: id } = await expectLetter(deps, params.dead_letter_id);
      if (!(await deps.deadLetters.discard(id))) throw notFound(id);
      return reply.code(204).send();
    },
  );
}

async function expectLetter({ deadLetters }: DeadLetterDeps, id: string): Promise<DeadLetterRow> {
  const letter = await deadLetters.get(id);
  if (letter === undefined || !OWNERS.includes(letter.tenant_id)) throw notFound(id);
  return letter;
}

function notFound(id: string): AntlerError {
  return new AntlerError("dead_letter_not_found", `Dead letter ${id} does not exist`);
}
