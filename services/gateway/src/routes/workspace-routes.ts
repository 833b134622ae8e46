import { Readable } from "node:stream";

import type { FastifyRequest } from "fastify";

import { AntlerError, WorkspaceReceipt } from "@antler/contracts";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectThread } from "../http/lookups.ts";
import { ThreadPath } from "../http/paths.ts";

type WorkspaceDeps = Pick<GatewayDeps, "threads" | "runs" | "workspaces">;

const TAR = "application/x-tar";

/** Longest upload. */
const UPLOAD_MS = 30 * 60_000;

/** How long the rest of a refused upload is read, so that the client comes to read the answer. */
const DISCARD_MS = 10_000;

export function workspaceRoutes(app: GatewayApp, deps: WorkspaceDeps): void {
  app.register(async (scope: GatewayApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TAR, (_request, payload, done) => done(null, payload));

    scope.put(
      "/threads/:thread_id/workspace",
      {
        schema: { params: ThreadPath, response: { 200: WorkspaceReceipt }, consumes: [TAR], tags: ["workspace"] },
        config: { accepts: TAR },
        onError: async (request) => discardRest(request),
      },
      async (request) => {
        const tar = expectTar(request);
        const thread = await expectThread(deps, request.params.thread_id);
        const holder = await deps.runs.holderOf(thread._id);
        if (holder !== undefined) {
          throw new AntlerError("thread_busy", `Run ${holder._id} holds thread ${thread._id}`);
        }
        return deps.workspaces.upload(thread, tar, AbortSignal.timeout(UPLOAD_MS));
      },
    );
  });
}

function expectTar({ body }: FastifyRequest): Readable {
  if (body instanceof Readable) return body;
  throw new AntlerError("unsupported_media_type", `The request has no body; send ${TAR}`);
}

/** The answer may be out before the client has sent everything; what it still sends is thrown away, for a while. */
function discardRest({ raw }: FastifyRequest): void {
  if (raw.readableEnded || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), DISCARD_MS);
  raw.once("close", () => clearTimeout(timer));
  raw.resume();
}
