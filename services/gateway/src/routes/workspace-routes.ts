import type { Readable } from "node:stream";

import type { FastifyRequest } from "fastify";

import { AntlerError, WorkspaceReceipt } from "@antler/contracts";

import type { GatewayDeps } from "../gateway-deps.ts";
import { detachedBody, discardRest } from "../http/detached-body.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectThread } from "../http/lookups.ts";
import { ThreadPath } from "../http/paths.ts";
import type { OpenResponses } from "../stream/open-responses.ts";

type WorkspaceDeps = Pick<GatewayDeps, "threads" | "runs" | "workspaces"> & {
  readonly open: OpenResponses;
};

const TAR = "application/x-tar";

export function workspaceRoutes(app: GatewayApp, deps: WorkspaceDeps): void {
  app.register(async (scope: GatewayApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TAR, (_request, payload, done) => done(null, payload));

    scope.put(
      "/threads/:thread_id/workspace",
      {
        schema: { params: ThreadPath, response: { 200: WorkspaceReceipt }, consumes: [TAR], tags: ["workspace"] },
        config: { accepts: TAR },
        onError: async ({ raw }) => discardRest(raw),
      },
      async (request) => {
        const thread = await expectThread(deps, request.params.thread_id);
        await expectFree(deps, thread._id);
        return deps.workspaces.upload(thread, expectBody(request), {
          signal: deps.open.ending,
          beforeSwap: () => expectFree(deps, thread._id),
        });
      },
    );
  });
}

/** @throws AntlerError `thread_busy` while a run holds the thread. */
async function expectFree({ runs }: Pick<WorkspaceDeps, "runs">, threadId: string): Promise<void> {
  const holder = await runs.holderOf(threadId);
  if (holder !== undefined) throw new AntlerError("thread_busy", `Run ${holder._id} holds thread ${threadId}`);
}

/** A missing body never comes to a content type parser. */
function expectBody({ body, raw }: FastifyRequest): Readable {
  if (body === raw) return detachedBody(raw);
  throw new AntlerError("unsupported_media_type", `The request has no body; send ${TAR}`);
}
