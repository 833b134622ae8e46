import { AntlerError, StreamMode } from "@antler/contracts";

/** Options of LangGraph's server that this version does not have. */
const RUN_OPTIONS = [
  "after_seconds",
  "checkpoint",
  "checkpoint_during",
  "checkpoint_id",
  "feedback_keys",
  "interrupt_after",
  "interrupt_before",
  "langsmith_tracer",
  "on_completion",
  "strict_resume",
  "webhook",
];

const HISTORY_OPTIONS = ["metadata", "select"];

const THREAD_OPTIONS = ["supersteps", "ttl"];

/** Values of supported options that LangGraph's server knows and this version does not have. */
const RUN_VALUES: Readonly<Record<string, readonly string[]>> = {
  multitask_strategy: ["rollback", "interrupt", "enqueue"],
  durability: ["async", "exit"],
  stream_mode: ["events", "debug", "tasks", "checkpoints", "tools", "lifecycle"],
};

type Body = Readonly<Record<string, unknown>>;

/**
 * The body of a run without options that are null; clients send those for "not set".
 * @throws AntlerError `unsupported_option` that names the first option which this version does not have.
 */
export function supportedRunBody(body: unknown): unknown {
  if (!isBody(body)) return body;
  for (const [option, values] of Object.entries(RUN_VALUES)) refuseValues(body, option, values);
  refuseNestedCheckpoint(body);
  return withoutOptions({ ...body, command: supportedCommand(body["command"]) ?? null }, RUN_OPTIONS);
}

export function supportedThreadBody(body: unknown): unknown {
  return isBody(body) ? withoutOptions(body, THREAD_OPTIONS) : body;
}

/** `before` as clients send it: a checkpoint, or a config that holds one. */
export function supportedHistoryBody(body: unknown): unknown {
  if (!isBody(body)) return body;
  const { before, ...rest } = withoutOptions(body, HISTORY_OPTIONS);
  const configurable = isBody(before) ? before["configurable"] : undefined;
  return { ...rest, ...(before !== undefined && { before: configurable ?? before }) };
}

function isBody(body: unknown): body is Body {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

function withoutOptions(body: Body, options: readonly string[]): Body {
  const given = options.find((option) => body[option] != null);
  if (given !== undefined) throw unsupported(given, `Option ${given} is not supported; leave it out`);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function refuseValues(body: Body, option: string, refused: readonly string[]): void {
  const values = [body[option]].flat();
  const found = refused.find((value) => values.includes(value));
  if (found === undefined) return;
  const supported = option === "stream_mode" ? StreamMode.options.join(", ") : "the default";
  throw unsupported(option, `Option ${option} does not support ${found}; supported: ${supported}`);
}

/** A run always goes on from the newest checkpoint of its thread. */
function refuseNestedCheckpoint({ config }: Body): void {
  const configurable = isBody(config) ? config["configurable"] : undefined;
  if (!isBody(configurable) || configurable["checkpoint_id"] == null) return;
  const option = "config.configurable.checkpoint_id";
  throw unsupported(option, `Option ${option} is not supported; leave it out`);
}

/** Of a command only the answer to interrupts: state and place of a thread are its runs' alone. */
function supportedCommand(command: unknown): unknown {
  if (!isBody(command)) return command;
  for (const part of ["update", "goto"]) {
    const option = `command.${part}`;
    if (command[part] != null)
      throw unsupported(option, `Option ${option} is not supported; send command.resume alone`);
  }
  return Object.fromEntries(Object.entries(command).filter(([, value]) => value !== null));
}

function unsupported(option: string, message: string): AntlerError {
  return new AntlerError("unsupported_option", message, { details: { option } });
}
