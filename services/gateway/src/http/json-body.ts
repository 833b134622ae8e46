import type { GatewayApp } from "./gateway-app.ts";

/** Reads JSON; nothing sent is no body, also where a client names the type all the same. */
export function readJsonBodies(app: GatewayApp): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, undefined);
    else void parse(request, String(body), done);
  });
}
