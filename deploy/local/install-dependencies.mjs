import { readFileSync } from "node:fs";
import { join } from "node:path";

import { runNpm } from "./npm-command.mjs";

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** npm writes the hidden lockfile last, so one that agrees with package-lock.json means a complete installation. */
function isInstalled(root) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional || agrees(entry, installed[path]),
  );
}

function agrees(wanted, installed) {
  return installed !== undefined && wanted.version === installed.version && wanted.integrity === installed.integrity;
}

/** The npm packages of package-lock.json. */
export function dependenciesOf(root) {
  return {
    name: "npm packages of package-lock.json (npm ci)",
    what: "installing dependencies with npm ci",
    isPresent: () => isInstalled(root),
    fetch: () => runNpm(root, ["ci"]),
  };
}
