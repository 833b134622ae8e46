import { z } from "zod";

import { AntlerError, EventsQuery, RunEvent, RunEventType, TaskView } from "@antler/contracts";
import type { ReadEventsOptions } from "@antler/store";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectRun } from "../http/lookups.ts";
import { RunPath, ThreadRunPath } from "../http/paths.ts";
import { taskViewOf } from "../views/task-view.ts";

type RecordDeps = Pick<GatewayDeps, "runs" | "listTasks" | "events" | "usageOf">;

/** What is on record of a run: its events and its tasks. */
export function runRecordRoutes(app: GatewayApp, deps: RecordDeps): void {
  const readEvents = async (path: z.infer<typeof RunPath> & { thread_id?: string }, query: ReadEventsOptions) => {
    const run = await expectRun(deps, path);
    return [...(await deps.events.read(run._id, query))];
  };

  const response = { 200: z.array(RunEvent) };
  app.get(
    "/threads/:thread_id/runs/:run_id/events",
    { schema: { params: ThreadRunPath, querystring: EventsQuery, response, tags: ["records"] } },
    ({ params, query }) => readEvents(params, eventQueryOf(query)),
  );
  app.get(
    "/runs/:run_id/events",
    { schema: { params: RunPath, querystring: EventsQuery, response, tags: ["records"] } },
    ({ params, query }) => readEvents(params, eventQueryOf(query)),
  );

  app.get(
    "/runs/:run_id/tasks",
    { schema: { params: RunPath, response: { 200: z.array(TaskView) }, tags: ["records"] } },
    async ({ params }) => {
      const run = await expectRun(deps, params);
      const rows = await deps.listTasks(run._id);
      return Promise.all(
        rows.map(async (task) => taskViewOf(task, await deps.usageOf({ runId: run._id, taskId: task._id }))),
      );
    },
  );
}

function eventQueryOf({ after_seq, limit, task_id, event_types }: z.infer<typeof EventsQuery>): ReadEventsOptions {
  return {
    afterSeq: after_seq,
    limit,
    ...(task_id !== undefined && { taskId: task_id }),
    ...(event_types !== undefined && { types: eventTypesOf(event_types) }),
  };
}

function eventTypesOf(text: string): readonly RunEventType[] {
  return text
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const type = RunEventType.safeParse(name);
      if (type.success) return type.data;
      const message = `is not an event type; known are ${RunEventType.options.join(", ")}`;
      const errors = [{ path: "query.event_types", message: `${name} ${message}` }];
      throw new AntlerError("invalid_request", `The request is not valid: event_types: ${name} ${message}`, {
        details: { errors },
      });
    });
}
