import type { ConfigShape } from "./config-shape.ts";

/** What is wrong at one place of the configuration. */
export interface ConfigFault {
  readonly path: string[];
  readonly message: string;
}

type Section = keyof ConfigShape;

interface Rule {
  /** The sections that the rule reads. */
  readonly reads: readonly Section[];
  readonly faults: (config: ConfigShape) => readonly ConfigFault[];
}

/** Names that no custom type can take. */
export const BUILT_IN_TYPES: readonly string[] = ["general-purpose", "bash"];

const RULES: readonly Rule[] = [
  { reads: ["sandbox", "subagents"], faults: commandTimeoutFaults },
  { reads: ["subagents", "tools"], faults: toolTimeoutFaults },
  { reads: ["runs", "subagents"], faults: runTimeoutFaults },
  { reads: ["delivery"], faults: leaseFaults },
  { reads: ["models"], faults: modelFaults },
  { reads: ["pools", "subagents"], faults: poolReferenceFaults },
  { reads: ["models", "subagents"], faults: modelReferenceFaults },
  { reads: ["subagents"], faults: overrideFaults },
];

/** Faults between values that are each valid; rules that read a section outside `intact` are left out. */
export function crossSectionFaults(config: ConfigShape, intact?: ReadonlySet<string>): readonly ConfigFault[] {
  const rules = RULES.filter(({ reads }) => reads.every((section) => intact?.has(section) ?? true));
  return rules.flatMap(({ faults }) => faults(config));
}

function faultIf(wrong: boolean, path: string[], message: string): readonly ConfigFault[] {
  return wrong ? [{ path, message }] : [];
}

function commandTimeoutFaults({ sandbox, subagents }: ConfigShape): readonly ConfigFault[] {
  const wrong = sandbox.command_timeout_seconds >= subagents.timeout_seconds;
  return faultIf(wrong, ["sandbox", "command_timeout_seconds"], "must be below subagents.timeout_seconds");
}

function toolTimeoutFaults({ subagents, tools }: ConfigShape): readonly ConfigFault[] {
  return Object.entries(tools.mcp.servers).flatMap(([name, { timeout_seconds: timeout }]) =>
    faultIf(
      timeout >= subagents.timeout_seconds,
      ["tools", "mcp", "servers", name, "timeout_seconds"],
      "must be below subagents.timeout_seconds",
    ),
  );
}

function runTimeoutFaults({ runs, subagents }: ConfigShape): readonly ConfigFault[] {
  const own = [...Object.values(subagents.agents), ...Object.values(subagents.custom_agents)];
  const longest = Math.max(subagents.timeout_seconds, ...own.map((agent) => agent.timeout_seconds ?? 0));
  const message = `must be above every subagent's timeout (${longest})`;
  return faultIf(longest >= runs.timeout_seconds, ["runs", "timeout_seconds"], message);
}

function leaseFaults({ delivery }: ConfigShape): readonly ConfigFault[] {
  const { lease_seconds: lease, ack_wait_seconds: ackWait, renewal_seconds: renewal } = delivery;
  return [
    ...faultIf(lease >= ackWait, ["delivery", "lease_seconds"], "must be below delivery.ack_wait_seconds"),
    ...faultIf(renewal * 2 > lease, ["delivery", "renewal_seconds"], "must be at most half of delivery.lease_seconds"),
  ];
}

function modelFaults({ models }: ConfigShape): readonly ConfigFault[] {
  const names = models.map((model) => model.name);
  return names.flatMap((name, index) =>
    faultIf(names.indexOf(name) !== index, ["models", String(index), "name"], `"${name}" is the name of another model`),
  );
}

function poolReferenceFaults({ subagents, pools }: ConfigShape): readonly ConfigFault[] {
  return Object.entries(subagents.custom_agents).flatMap(([type, { pool }]) => {
    const path = ["subagents", "custom_agents", type, "pool"];
    if (pool === "lead" || pool === "checker") return [{ path, message: "lead and checker do not take tasks" }];
    return faultIf(!(pool in pools), path, `"${pool}" is not among pools: ${Object.keys(pools).join(", ")}`);
  });
}

function modelReferenceFaults({ subagents, models }: ConfigShape): readonly ConfigFault[] {
  const known = new Set(["inherit", ...models.map((model) => model.name)]);
  const chosen = [
    ...Object.entries(subagents.agents).map(([type, { model }]) => ["agents", type, model ?? "inherit"] as const),
    ...Object.entries(subagents.custom_agents).map(([type, { model }]) => ["custom_agents", type, model] as const),
  ];
  return chosen.flatMap(([section, type, model]) =>
    faultIf(
      !known.has(model),
      ["subagents", section, type, "model"],
      `"${model}" is not the name of a model in models`,
    ),
  );
}

function overrideFaults({ subagents }: ConfigShape): readonly ConfigFault[] {
  const known = new Set([...BUILT_IN_TYPES, ...Object.keys(subagents.custom_agents)]);
  const message = "is neither built in (general-purpose, bash) nor under subagents.custom_agents";
  return Object.keys(subagents.agents).flatMap((type) =>
    faultIf(!known.has(type), ["subagents", "agents", type], message),
  );
}
