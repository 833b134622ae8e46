import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { findSurplusCopies, readLockfile } from "./single-copies.ts";

/** One gate of `npm run check`; `run` returns what is wrong, or nothing. */
export interface CheckStep {
  readonly name: string;
  readonly run: (root: string) => string | undefined;
}

const cruised = ["libs", "services", "apps", "tools", "deploy", "test"];

export const checkSteps: readonly CheckStep[] = [
  tool("format", "prettier/bin/prettier.cjs", ["--check", "--log-level", "warn", "."]),
  tool("types", "typescript/bin/tsc", ["-b"]),
  tool("lint", "eslint/bin/eslint.js", [".", "--max-warnings=0"]),
  tool("arrows", "dependency-cruiser/bin/dependency-cruiser.mjs", [...cruised, "--config", ".dependency-cruiser.cjs"]),
  tool("dead code", "knip/bin/knip.js", ["--no-progress", "--no-config-hints"]),
  { name: "single copies", run: (root) => findSurplusCopies(readLockfile(root)).join("\n") || undefined },
];

function tool(name: string, binary: string, args: readonly string[]): CheckStep {
  return {
    name,
    run: (root) => {
      const path = join(root, "node_modules", binary);
      const done = spawnSync(process.execPath, [path, ...args], { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
      return done.status === 0 ? undefined : `${done.stdout}${done.stderr}${done.error?.message ?? ""}`.trimEnd();
    },
  };
}
