import { StartupError } from "./startup-error.ts";

/** Refuses to run in production. Throws StartupError `production_refused`. */
export function refuseProduction(nodeEnvironment: string | undefined): void {
  if (nodeEnvironment !== "production") return;
  const reason = "it has no replication, no authentication and no backups";
  const remedy = "Use a MongoDB server and set MONGODB_URL.";
  throw new StartupError(
    "production_refused",
    `The embedded MongoDB does not run under NODE_ENV=production: ${reason}. ${remedy}`,
  );
}
