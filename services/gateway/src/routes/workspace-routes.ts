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
        const holder = await deps.runs.holderOf(thread._id);
        if (holder !== undefined) {
          throw new AntlerError("thread_busy", `Run ${holder._id} holds thread ${thread._id}`);
        }
        return deps.workspaces.upload(thread, expectBody(request), deps.open.closing);
      },
    );
  });
}

/** A missing body never comes to a content type parser. */
function expectBody({ body, raw }: FastifyRequest): Readable {
  if (body === raw) return detachedBody(raw);
  throw new AntlerError("unsupported_media_type", `The request has no body; send ${TAR}`);
}
