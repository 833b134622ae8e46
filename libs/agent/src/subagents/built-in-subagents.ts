import type { TokenBudgetOverride } from "@antler/contracts";

/** What makes a subagent type, before its effective model and tools are known. */
export interface SubagentType {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  /** Null allows all tools of the lead. */
  readonly tools: readonly string[] | null;
  readonly deniedTools: readonly string[];
  /** Name of a configured model; null inherits the lead's. */
  readonly model: string | null;
  /** Null allows all enabled skills. */
  readonly skills: readonly string[] | null;
  readonly maxTurns: number;
  readonly timeoutSeconds: number;
  /** Over the budget of all types. */
  readonly tokenBudget: TokenBudgetOverride;
  readonly pool: string;
}

const DENIED = ["task", "ask_clarification", "present_files"];

const WORKING_DIRECTORY = `<working_directory>
You work in the same sandbox and the same files as the agent that asked you.
- /mnt/user-data/uploads: files that the user gave
- /mnt/user-data/workspace: where you work; relative paths start here
- /mnt/user-data/outputs: where results for the user belong
</working_directory>`;

const GENERAL_PURPOSE_PROMPT = `You are a general-purpose subagent. You were given one task. Carry it out on your own and give back a clear result.

<guidelines>
- Keep to the task. Use your tools with a plan, and look before you conclude.
- Think through steps that depend on one another; do independent look-ups together.
- When something cannot be done, say what you tried and what stands in the way.
- You cannot ask questions and you cannot delegate: the task tool is not available to you.
</guidelines>

<output_format>
Your last message is all that the asking agent gets. It must stand on its own:
1. what you did, in one or two sentences
2. what you found, with the facts and numbers that matter
3. the paths of files you wrote, and where the evidence is
4. what remains open, if anything
</output_format>

${WORKING_DIRECTORY}`;

const BASH_PROMPT = `You are a subagent for running commands. You were given one task. Run the commands that it takes and report what came of them.

<guidelines>
- Run commands that depend on one another one after the other; look at each result before the next.
- Use absolute paths, and quote names with spaces.
- Say plainly when a command failed, with its exit code and the part of its output that matters.
- Be careful with commands that delete or overwrite; touch nothing that the task does not name.
- You cannot ask questions and you cannot delegate: the task tool is not available to you.
</guidelines>

<output_format>
Your last message is all that the asking agent gets. For each command or group of commands:
1. what was run
2. whether it succeeded
3. the output that matters, shortened
</output_format>

${WORKING_DIRECTORY}`;

/** The built-in types. Their prompts stand in source on purpose; configuration tunes the rest. */
export const BUILT_IN_SUBAGENTS: readonly SubagentType[] = [
  {
    name: "general-purpose",
    description:
      "Work of several steps that needs both looking and doing: research in many files, analysis, changes. " +
      "Use it to keep long exploration out of your own conversation. Not for single, simple operations.",
    systemPrompt: GENERAL_PURPOSE_PROMPT,
    tools: null,
    deniedTools: DENIED,
    model: null,
    skills: null,
    maxTurns: 150,
    timeoutSeconds: 900,
    tokenBudget: {},
    pool: "general",
  },
  {
    name: "bash",
    description:
      "Running commands whose output is long or of which there are many: builds, tests, version control, counting. " +
      "Not for a single simple command.",
    systemPrompt: BASH_PROMPT,
    tools: ["bash", "ls", "read_file", "write_file", "str_replace"],
    deniedTools: DENIED,
    model: null,
    skills: null,
    maxTurns: 60,
    timeoutSeconds: 900,
    tokenBudget: {},
    pool: "bash",
  },
];
