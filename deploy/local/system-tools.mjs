import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const debianTools = { "nats-server": "NATS_URL", bwrap: undefined };
const debianPackages = { "nats-server": "nats-server", bwrap: "bubblewrap" };

/** Names the Debian packages that a later step of the preparation would have to fetch. */
export function listMissingSystemTools(root) {
  if (process.platform !== "linux") return [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  return Object.entries(debianTools)
    .filter(([, variable]) => variable === undefined || process.env[variable] === undefined)
    .filter(([tool]) => !folders.some((folder) => folder !== "" && existsSync(join(folder, tool))))
    .filter(([tool]) => !existsSync(join(root, ".antler/tools/debian", debianPackages[tool])))
    .map(([tool]) => `${tool} (Debian package ${debianPackages[tool]})`);
}
