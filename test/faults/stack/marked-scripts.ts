import type { ModelAnswer, ModelRequest } from "../../harness/model-server.ts";
import { isLead } from "../../harness/scripted-survey.ts";
import { type GatedScript, gatedScript, type GatedScriptOptions } from "./gated-script.ts";

/** Scripts of several runs at once. A run is known by a word that its user says, of several words by the newest. */
export interface MarkedScripts {
  answer(request: ModelRequest): Promise<ModelAnswer>;
  add(mark: string, options?: GatedScriptOptions): GatedScript;
  /** When the subagents of a run asked the model, in milliseconds of the monotonic clock. */
  taskCallsOf(mark: string): readonly number[];
}

export function markedScripts(): MarkedScripts {
  const scripts = new Map<string, GatedScript>();
  const asked: { readonly mark: string; readonly atMs: number }[] = [];
  return {
    add(mark, options) {
      const script = gatedScript({ ...options, mark });
      scripts.set(mark, script);
      return script;
    },
    taskCallsOf: (mark) => asked.filter((call) => call.mark === mark).map(({ atMs }) => atMs),
    async answer(request) {
      const text = JSON.stringify(request.messages);
      const [mark, script] = [...scripts].findLast(([word]) => text.includes(word)) ?? [];
      if (mark === undefined || script === undefined) throw new Error(`No script has its mark in ${text}`);
      if (!isLead(request)) asked.push({ mark, atMs: performance.now() });
      return script.answer(request);
    },
  };
}
