import { calls, type ModelAnswer, type ModelRequest, says } from "../../harness/model-server.ts";
import { isLead } from "../../harness/scripted-survey.ts";

/** A place in a run where everybody who comes waits until it is opened. */
export interface Gate {
  /** Resolves when the first has come. */
  readonly reached: Promise<void>;
  open(): void;
}

export interface GatedScript {
  answer(request: ModelRequest): Promise<ModelAnswer>;
  /** The model call of the lead with this many tool results before it. */
  readonly leadCall: (results: number) => Gate;
  /** The model call of a subagent with this many tool results before it. */
  readonly taskCall: (results: number) => Gate;
}

export interface GatedScriptOptions {
  /** How many subagents the lead asks for; with 0 it uses the tool itself. */
  readonly tasks?: number;
  /** The command that each subagent runs between its two model calls; it lists the workspace without one. */
  readonly command?: string;
  /** How often each subagent uses its tool before it answers; once without it. */
  readonly turns?: number;
  /** A word in the instruction of each subagent, by which requests of several runs are told apart. */
  readonly mark?: string;
}

interface OpenableGate extends Gate {
  readonly pass: () => Promise<void>;
}

/** A lead that delegates and sums up, and subagents that use one tool and answer; each model call may be gated. */
export function gatedScript({ tasks = 2, command, turns = 1, mark = "" }: GatedScriptOptions = {}): GatedScript {
  const gates = new Map<string, OpenableGate>();
  const gate = (name: string): OpenableGate => {
    const known = gates.get(name) ?? createGate();
    gates.set(name, known);
    return known;
  };
  const parts = Array.from({ length: tasks }, (_value, index) => taskCall(index + 1, mark));
  const begin = tasks === 0 ? [toolCall(command, 0)] : parts;
  return {
    leadCall: (results) => gate(`lead ${results}`),
    taskCall: (results) => gate(`task ${results}`),
    async answer(request) {
      const results = request.messages.filter(({ role }) => role === "tool").length;
      const lead = isLead(request);
      await gates.get(`${lead ? "lead" : "task"} ${results}`)?.pass();
      if (lead) return results === 0 ? calls(...begin) : says(`All ${results} are done.`);
      return results < turns ? calls(toolCall(command, results)) : says(`Finished: ${promptOf(request)}`);
    },
  };
}

/** No two calls of one agent are the same. */
function toolCall(command: string | undefined, results: number) {
  const path = `/mnt/user-data/workspace${results === 0 ? "" : `/${results}`}`;
  if (command === undefined) return { name: "ls", args: { path } };
  return { name: "bash", args: { description: "work", command } };
}

function createGate(): OpenableGate {
  const reached = Promise.withResolvers<undefined>();
  const opened = Promise.withResolvers<undefined>();
  return {
    reached: reached.promise.then(() => undefined),
    open: () => opened.resolve(undefined),
    async pass() {
      reached.resolve(undefined);
      await opened.promise;
    },
  };
}

function taskCall(part: number, mark: string) {
  const prompt = `Look at part ${part}.${mark === "" ? "" : ` ${mark}`}`;
  return { name: "task", args: { description: `part ${part}`, prompt, subagent_type: "general-purpose" } };
}

function promptOf({ messages }: ModelRequest): string {
  const human = messages.find(({ role }) => role === "user");
  return typeof human?.content === "string" ? human.content : JSON.stringify(human?.content);
}
