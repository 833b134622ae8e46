import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";

import type { GatewayApp } from "./gateway-app.ts";

/** Serves the description of all routes, made from the schemas that check them. */
export async function describeRoutes(app: GatewayApp, { version }: { version: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Antler", version, description: "Runs of a lead agent and its subagents" },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}
