import { z } from "zod";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectThread } from "../http/lookups.ts";
import { ThreadPath } from "../http/paths.ts";

const FilesQuery = z.object({ path: z.string().min(1).max(4096).default("/mnt/user-data/outputs") });

const FilesView = z
  .object({
    path: z.string(),
    entries: z.array(z.object({ path: z.string(), kind: z.enum(["file", "directory", "link", "other"]) })),
    truncated: z.boolean(),
  })
  .meta({ id: "Files" });

export function fileRoutes(app: GatewayApp, deps: Pick<GatewayDeps, "threads" | "workspaces">): void {
  app.get(
    "/threads/:thread_id/files",
    { schema: { params: ThreadPath, querystring: FilesQuery, response: { 200: FilesView }, tags: ["workspace"] } },
    async ({ params, query }) => {
      const thread = await expectThread(deps, params.thread_id);
      const { entries, truncated } = await deps.workspaces.list(thread, query.path);
      return { path: query.path, entries: [...entries], truncated };
    },
  );
}
