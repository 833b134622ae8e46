export { buildApp } from "./app.ts";
export type { GatewayDeps } from "./gateway-deps.ts";
