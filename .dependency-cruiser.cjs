/** The arrows of ARCHITECTURE.md: each layer may import itself and the layers after it. */
const layers = [
  { name: "processes", path: "^(services|apps)/" },
  { name: "agent", path: "^libs/agent/" },
  { name: "sandbox", path: "^libs/sandbox/" },
  { name: "delivery", path: "^libs/delivery/" },
  { name: "store-and-bus", path: "^libs/(store|bus)/" },
  { name: "platform", path: "^libs/platform/" },
  { name: "contracts", path: "^libs/contracts/" },
];

const agent = "^libs/agent/src/";

/** The folders of libs/agent in the same way. Files beside the folders put them together, and may import any. */
const agentLayers = [
  { name: "executions", path: `${agent}(lead|child)/` },
  { name: "middleware", path: `${agent}middleware/` },
  { name: "subagents", path: `${agent}subagents/` },
  { name: "mcp", path: `${agent}mcp/` },
  { name: "tools", path: `${agent}tools/` },
  { name: "parts", path: `${agent}(skills|delegations|guards|injection|command-audit|models)/` },
  { name: "messages", path: `${agent}messages/` },
];

const sources = "^(libs|services|apps|tools)/[^/]+/src/|^deploy/local/src/";
const tests = "(^|/)test/";
const packageOf = (names) => `(^|/)node_modules/(${names})(/|$)`;
const nats = packageOf("@nats-io/[^/]+|nats");
const mongodb = packageOf("mongodb|bson|mongodb-[^/]+");
const langchain = packageOf("langchain|@langchain/[^/]+");

/** One rule for each layer: nothing below may reach up to it. */
const arrowsOf = (all, prefix = "") =>
  all.slice(0, -1).map((layer, index) => ({
    name: `nothing-below-imports-${prefix}${layer.name}`,
    severity: "error",
    from: { path: all.slice(index + 1).map((below) => below.path) },
    to: { path: layer.path },
  }));

const forbid = (name, from, to) => ({ name, severity: "error", from, to });

module.exports = {
  forbidden: [
    ...arrowsOf(layers),
    ...arrowsOf(agentLayers, "agent-"),
    ...agentLayers
      .filter(({ path }) => path.includes("|"))
      .map(({ name, path }) => forbid(`agent-${name}-are-apart`, { path }, { path, pathNot: `${agent}$1/` })),
    forbid(
      "store-and-bus-are-apart",
      { path: "^libs/(store|bus)/" },
      {
        path: "^libs/(store|bus)/",
        pathNot: "^libs/$1/",
      },
    ),
    forbid(
      "no-service-imports-another",
      { path: "^services/([^/]+)/" },
      {
        path: "^services/",
        pathNot: "^services/$1/",
      },
    ),
    forbid(
      "no-lib-imports-the-local-stack",
      { path: "^(libs|services|apps)/[^/]+/src/" },
      {
        path: "^(deploy|tools)/",
      },
    ),
    forbid(
      "contracts-depend-only-on-zod",
      { path: "^libs/contracts/src/" },
      {
        pathNot: ["^libs/contracts/src/", packageOf("zod")],
      },
    ),
    forbid("only-bus-knows-nats", { path: sources, pathNot: "^libs/bus/" }, { path: nats }),
    forbid(
      "only-store-knows-mongodb",
      { path: sources, pathNot: "^(libs/store|tools/embedded-mongo)/" },
      {
        path: mongodb,
      },
    ),
    forbid(
      "only-agent-and-store-know-langchain",
      { path: sources, pathNot: "^libs/(agent|store)/" },
      {
        path: langchain,
      },
    ),
    forbid("gateway-knows-no-agent", { path: "^services/gateway/" }, { path: ["^libs/agent/", langchain] }),
    forbid(
      "no-subagent-delegates",
      { path: "^libs/agent/src/child/" },
      {
        path: "^libs/agent/src/(lead/delegate-task|tools/task-tool)[.]ts$",
        reachable: true,
      },
    ),
    forbid("no-source-imports-a-test", { path: sources }, { path: tests }),
    forbid(
      "no-development-dependency-in-source",
      { path: sources },
      {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid("no-undeclared-dependency", { path: sources }, { dependencyTypes: ["npm-no-pkg", "npm-unknown"] }),
    forbid("no-unresolvable-import", { path: "^(libs|services|apps|tools|deploy|test)/" }, { couldNotResolve: true }),
    forbid(
      "only-the-door-of-a-package",
      { path: "^(libs|services|apps|tools|deploy)/([^/]+)/" },
      {
        path: "^(libs|tools)/[^/]+/src/",
        pathNot: ["^$1/$2/", "/src/index\\.ts$"],
      },
    ),
    forbid("no-circular", {}, { circular: true }),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|coverage)/" },
    tsConfig: { fileName: "tsconfig.base.json" },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["antler-dev", "import", "node", "default", "types"],
    },
  },
};
