import type { ToolCall } from "@langchain/core/messages/tool";

import type { LoopDetectionConfig } from "@antler/contracts";

export type LoopVerdict =
  { readonly kind: "none" } | { readonly kind: "warn" | "stop"; readonly what: string; readonly times: number };

/** What an agent has called so far in one execution. */
export interface ToolLoop {
  /** Notes the calls of one answer and judges them. Each repetition is warned of once. */
  observe(calls: readonly ToolCall[]): LoopVerdict;
}

const NONE: LoopVerdict = { kind: "none" };

/** Lines of a file that count as the same place when an agent reads on. */
const LINES_A_BUCKET = 200;

/** Finds agents that repeat themselves: the same set of calls over and over, or one tool without an end. */
export function createToolLoop(limits: LoopDetectionConfig): ToolLoop {
  const recent: string[] = [];
  const perTool = new Map<string, number>();
  const warned = new Set<string>();

  const sameSet = (calls: readonly ToolCall[]): LoopVerdict => {
    const key = keyOf(calls);
    recent.push(key);
    if (recent.length > limits.window) recent.shift();
    const times = recent.filter((entry) => entry === key).length;
    return judge(key, { what: "the same tool calls", times, warnAt: limits.warn_after, stopAt: limits.stop_after });
  };

  const sameTool = ({ name }: ToolCall): LoopVerdict => {
    const times = (perTool.get(name) ?? 0) + 1;
    perTool.set(name, times);
    const { tool_warn_after: warnAt, tool_stop_after: stopAt } = limits;
    return judge(`tool:${name}`, { what: `the tool ${name}`, times, warnAt, stopAt });
  };

  const judge = (key: string, { what, times, warnAt, stopAt }: Judged): LoopVerdict => {
    if (times >= stopAt) return { kind: "stop", what, times };
    if (times < warnAt || warned.has(key)) return NONE;
    warned.add(key);
    return { kind: "warn", what, times };
  };

  return {
    observe(calls) {
      if (calls.length === 0) return NONE;
      const verdicts = [sameSet(calls), ...calls.map(sameTool)];
      return find(verdicts, "stop") ?? find(verdicts, "warn") ?? NONE;
    },
  };
}

interface Judged {
  readonly what: string;
  readonly times: number;
  readonly warnAt: number;
  readonly stopAt: number;
}

function find(verdicts: readonly LoopVerdict[], kind: LoopVerdict["kind"]): LoopVerdict | undefined {
  return verdicts.find((verdict) => verdict.kind === kind);
}

/** Equal for the same calls in any order, with the same arguments in any order. */
function keyOf(calls: readonly ToolCall[]): string {
  return JSON.stringify(calls.map((call) => `${call.name} ${stable(placed(call))}`).sort());
}

/** The words with which an agent says why it calls are no part of what it calls. */
function placed({ name, args }: ToolCall): Record<string, unknown> {
  const { description: _, ...rest } = args as Record<string, unknown>;
  if (name !== "read_file") return rest;
  return { path: rest["path"], place: Math.floor(Number(rest["start_line"] ?? 1) / LINES_A_BUCKET) };
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
