import { type SimpleCommand, splitCommands } from "./split-commands.ts";

export type CommandVerdict = { readonly risk: "none" } | { readonly risk: "medium" | "high"; readonly reason: string };

interface Rule {
  readonly reason: string;
  readonly applies: (command: SimpleCommand) => boolean;
}

/** Words before the one that is run: those of the shell's grammar, and programs that start another one. */
const PREFIXES = new Set([
  ...["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "exec", "eval", "command", "builtin"],
  ...["sudo", "doas", "env", "nohup", "nice", "ionice", "stdbuf", "setsid", "timeout", "xargs"],
]);

/** The command without assignments and without what only starts it, its options included. */
function bare(command: SimpleCommand): SimpleCommand {
  let isStarted = false;
  const start = command.findIndex((word) => {
    if (PREFIXES.has(word)) isStarted = true;
    else if (!/^[A-Za-z_][A-Za-z0-9_]*=/.test(word) && !(isStarted && /^(?:-|\d+[smhd]?$|root$)/.test(word)))
      return true;
    return false;
  });
  return start === -1 ? [] : command.slice(start);
}

function nameOf(command: SimpleCommand): string {
  return (command[0] ?? "").replace(/^.*\//, "");
}

const DEVICE = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|mapper\/|mem|kmem|port)/;
const WHOLE =
  /^(?:\/+\.?|\/\*|~|~\/|~\/\*|\$HOME\/?|\$\{HOME\}\/?|\/(?:bin|boot|dev|etc|home|lib|opt|proc|root|sbin|sys|usr|var)\/?\*?)$/;

const HIGH: readonly Rule[] = [
  {
    reason: "it removes the root, the home or a system directory",
    applies: (command) => nameOf(command) === "rm" && isRecursive(command) && command.some((word) => WHOLE.test(word)),
  },
  { reason: "it makes a file system", applies: (command) => /^mkfs(?:\.|$)/.test(nameOf(command)) },
  { reason: "it writes to a device", applies: writesToDevice },
  {
    reason: "it stops the machine",
    applies: (command) => ["shutdown", "reboot", "halt", "poweroff", "init"].includes(nameOf(command)),
  },
  {
    reason: "it reads the environment of processes",
    applies: (command) => command.some((word) => /\/proc\/(?:self|\d+|\*|\$\$|thread-self)\/environ/.test(word)),
  },
];

/** A device behind `>`, as `of=` of dd, or as an argument of tee. */
function writesToDevice(command: SimpleCommand): boolean {
  return command.some((word, index) => {
    const isTarget = /^\d?>{1,2}$/.test(command[index - 1] ?? "") || nameOf(command) === "tee";
    const attached = /^(?:of=|\d?>{1,2})(.+)$/.exec(word)?.[1];
    return (isTarget && DEVICE.test(word)) || (attached !== undefined && DEVICE.test(attached));
  });
}

const MEDIUM: readonly Rule[] = [
  {
    reason: "it lets everybody write",
    applies: (command) => nameOf(command) === "chmod" && command.some((word) => /^0?777$/.test(word)),
  },
  {
    reason: "it installs packages",
    applies: (command) =>
      ["pip", "pip3", "apt", "apt-get", "dnf", "yum", "apk"].includes(nameOf(command)) && command.includes("install"),
  },
];

function isRecursive(command: SimpleCommand): boolean {
  return command.some((word) => word === "--recursive" || /^-[A-Za-z]*[rR]/.test(word));
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh"]);
const FETCHERS = new Set(["curl", "wget"]);

/**
 * What a command line would do that no agent should: `high` must not run, `medium` runs with a warning. It looks at
 * words and not at meaning, so it is a second line of defence behind the sandbox.
 */
export function auditCommand(line: string): CommandVerdict {
  if (/:\s*\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}/.test(line)) return { risk: "high", reason: "it is a fork bomb" };
  const commands = splitCommands(line);
  const inner = commands.flatMap((command) => [...scriptsOf(bare(command)), ...evaluated(command)]);
  const high = [...commands.flatMap((command) => matching(HIGH, bare(command))), ...runsFetched(line)];
  const [reason] = [...high, ...inner.flatMap(highReasons)];
  if (reason !== undefined) return { risk: "high", reason };
  const [warning] = [...commands.flatMap((command) => matching(MEDIUM, bare(command))), ...privileged(commands)];
  return warning === undefined ? { risk: "none" } : { risk: "medium", reason: warning };
}

function highReasons(line: string): string[] {
  const verdict = auditCommand(line);
  return verdict.risk === "high" ? [verdict.reason] : [];
}

function matching(rules: readonly Rule[], command: SimpleCommand): string[] {
  return rules.filter(({ applies }) => applies(command)).map(({ reason }) => reason);
}

/** The script that a shell is given on its command line. */
function scriptsOf(command: SimpleCommand): string[] {
  const option = command.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = SHELLS.has(nameOf(command)) && option > 0 ? command[option + 1] : undefined;
  return script === undefined ? [] : [script];
}

/** The words that `eval` runs anew. */
function evaluated([first, ...rest]: SimpleCommand): string[] {
  return first === "eval" ? [rest.join(" ")] : [];
}

/** A shell, or a word that runs text, given the output of a fetcher by `$( )`, backticks or `<( )`. */
const RUNS_SUBSTITUTED =
  /(?:^|[\s;&|({/])(?:(?:ba|z|da|k)?sh|source|eval|\.)\s+(?:-\S+\s+)*["']?(?:\$\(|`|<\()\s*(?:\S*\/)?(?:curl|wget)\b/;

/** What is fetched must not be run unseen, however many commands of the pipe stand between. */
function runsFetched(line: string): string[] {
  const runs = RUNS_SUBSTITUTED.test(line) || line.split(/\|\||&&|[;\n]/).some(pipesIntoShell);
  return runs ? ["it runs what it fetches unseen"] : [];
}

function pipesIntoShell(pipe: string): boolean {
  const stages = pipe.split("|").map((stage) => splitCommands(stage).map(bare));
  const fetch = stages.findIndex((stage) => stage.some((command) => FETCHERS.has(nameOf(command))));
  return fetch !== -1 && stages.slice(fetch + 1).some(([first = []]) => SHELLS.has(nameOf(first)));
}

function privileged(commands: readonly SimpleCommand[]): string[] {
  if (commands.some((command) => ["sudo", "doas"].includes(nameOf(command)))) return ["it asks for more rights"];
  return commands.some(([first = ""]) => first.startsWith("PATH=")) ? ["it changes where commands are found"] : [];
}
