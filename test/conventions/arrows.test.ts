import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** One planted violation for each rule: the file that breaks it and what that file imports. */
const planted = [
  ["nothing-below-imports-processes", "libs/agent/src/reach-up.ts", "../../../services/gateway/src/app.ts"],
  ["nothing-below-imports-agent", "libs/sandbox/src/reach-up.ts", "../../agent/src/index.ts"],
  ["nothing-below-imports-sandbox", "libs/delivery/src/reach-up.ts", "../../sandbox/src/index.ts"],
  ["nothing-below-imports-delivery", "libs/store/src/reach-up.ts", "../../delivery/src/index.ts"],
  ["nothing-below-imports-store-and-bus", "libs/platform/src/reach-up.ts", "../../bus/src/index.ts"],
  ["nothing-below-imports-platform", "libs/contracts/src/reach-up.ts", "../../platform/src/index.ts"],
  ["nothing-below-imports-agent-executions", "libs/agent/src/middleware/up.ts", "../lead/execute-run.ts"],
  ["nothing-below-imports-agent-middleware", "libs/agent/src/subagents/up.ts", "../middleware/tool-gate.ts"],
  ["nothing-below-imports-agent-subagents", "libs/agent/src/mcp/up.ts", "../subagents/resolve-subagent.ts"],
  ["nothing-below-imports-agent-mcp", "libs/agent/src/tools/up.ts", "../mcp/mcp-pool.ts"],
  ["nothing-below-imports-agent-tools", "libs/agent/src/skills/up.ts", "../tools/tool-policy.ts"],
  ["nothing-below-imports-agent-parts", "libs/agent/src/messages/up.ts", "../skills/skill.ts"],
  ["agent-executions-are-apart", "libs/agent/src/child/sideways.ts", "../lead/execute-run.ts"],
  ["agent-parts-are-apart", "libs/agent/src/guards/sideways.ts", "../skills/skill.ts"],
  ["store-and-bus-are-apart", "libs/store/src/sideways.ts", "../../bus/src/index.ts"],
  ["no-service-imports-another", "services/gateway/src/sideways.ts", "../../lead-runner/src/app.ts"],
  ["no-lib-imports-the-local-stack", "libs/platform/src/local.ts", "../../../deploy/local/src/index.ts"],
  ["contracts-depend-only-on-zod", "libs/contracts/src/io.ts", "pino"],
  ["only-bus-knows-nats", "libs/delivery/src/nats.ts", "@nats-io/nats-core"],
  ["only-store-knows-mongodb", "services/gateway/src/mongodb.ts", "mongodb"],
  ["only-agent-and-store-know-langchain", "services/lead-runner/src/langchain.ts", "@langchain/core"],
  ["gateway-knows-no-agent", "services/gateway/src/agent.ts", "../../../libs/agent/src/index.ts"],
  ["no-subagent-delegates", "libs/agent/src/child/delegating.ts", "../toolkit.ts"],
  ["no-source-imports-a-test", "libs/bus/src/tested.ts", "../test/double.ts"],
  ["no-development-dependency-in-source", "libs/bus/src/development.ts", "vitest"],
  ["no-undeclared-dependency", "libs/bus/src/undeclared.ts", "undeclared"],
  ["no-unresolvable-import", "libs/bus/src/unresolvable.ts", "./missing.ts"],
  ["only-the-door-of-a-package", "libs/store/src/window.ts", "../../contracts/src/io.ts"],
  ["no-circular", "libs/bus/src/circle.ts", "./round.ts"],
] as const;

const allowed = [
  ["libs/bus/src/nats.ts", "@nats-io/nats-core"],
  ["libs/store/src/saver.ts", "@langchain/core"],
  ["libs/store/src/driver.ts", "mongodb"],
  ["libs/contracts/src/schema.ts", "zod"],
  ["libs/agent/src/lead/tool.ts", "../tools/tool-policy.ts"],
  ["libs/agent/src/put-together.ts", "./middleware/tool-gate.ts"],
  ["libs/delivery/src/both.ts", "../../bus/src/index.ts"],
  ["services/lead-runner/src/wiring.ts", "../../../libs/agent/src/index.ts"],
] as const;

const doors = ["agent", "sandbox", "delivery", "store", "bus", "platform", "contracts"].map(
  (name) => `libs/${name}/src/index.ts`,
);
const plain = [
  "services/gateway/src/app.ts",
  "services/lead-runner/src/app.ts",
  "deploy/local/src/index.ts",
  "libs/bus/test/double.ts",
  "libs/agent/src/tools/task-tool.ts",
  "libs/agent/src/lead/execute-run.ts",
  "libs/agent/src/middleware/tool-gate.ts",
  "libs/agent/src/subagents/resolve-subagent.ts",
  "libs/agent/src/mcp/mcp-pool.ts",
  "libs/agent/src/tools/tool-policy.ts",
  "libs/agent/src/skills/skill.ts",
];
const packages = ["@nats-io/nats-core", "mongodb", "@langchain/core", "pino", "zod", "undeclared", "vitest"];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const project = mkdtempSync(join(tmpdir(), "antler-arrows-"));
let violations: readonly Violation[] = [];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

function plantPackages(): void {
  const dependencies = Object.fromEntries(packages.filter((name) => name !== "undeclared").map((name) => [name, "1"]));
  const { vitest, ...declared } = dependencies;
  write("package.json", JSON.stringify({ name: "planted", dependencies: declared, devDependencies: { vitest } }));
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    write(`node_modules/${name}/index.js`, "exports.value = 1;\n");
  }
}

function cruise(): readonly Violation[] {
  const binary = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const configuration = join(root, ".dependency-cruiser.cjs");
  const result = spawnSync(
    process.execPath,
    [binary, "libs", "services", "deploy", "--config", configuration, "--output-type", "json"],
    { cwd: project, encoding: "utf8", maxBuffer: 64 << 20 },
  );
  if (result.stdout === "") throw new Error(result.stderr);
  return (JSON.parse(result.stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

beforeAll(() => {
  copyFileSync(join(root, "tsconfig.base.json"), join(project, "tsconfig.base.json"));
  plantPackages();
  for (const path of [...doors, ...plain]) write(path, "export const value = 1;\n");
  write("libs/agent/src/toolkit.ts", 'export * from "./tools/task-tool.ts";\n');
  write("libs/bus/src/round.ts", 'export * from "./circle.ts";\n');
  for (const [path, target] of [...planted.map(([, ...rest]) => rest), ...allowed]) {
    write(path, `export * from "${target}";\n`);
  }
  violations = cruise();
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("dependency arrows", () => {
  it.each(planted)("%s refuses a planted violation", (rule, path) => {
    const broken = violations.filter((violation) => violation.rule.name === rule);

    expect(broken.map((violation) => violation.from)).toContain(path);
  });

  it.each(allowed)("%s may import %s", (path) => {
    expect(violations.filter((violation) => violation.from === path)).toEqual([]);
  });

  it("has a planted violation for every rule", async () => {
    const configuration = (await import(join(root, ".dependency-cruiser.cjs"))) as {
      default: { forbidden: readonly { name: string }[] };
    };

    const names = configuration.default.forbidden.map((rule) => rule.name);

    expect(planted.map(([rule]) => rule).toSorted()).toEqual(names.toSorted());
  });
});
