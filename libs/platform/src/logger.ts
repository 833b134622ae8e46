import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

import { withoutCredentials } from "./credentials.ts";
import { withoutSecrets } from "./redaction.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";
type Write = (fields: object, message: string) => void;

/** Writes one JSON line for each call: fields first, then a constant sentence. */
export interface Logger extends Readonly<Record<LogLevel, Write>> {
  /** A logger whose lines also carry `bindings`; with `level`, one with a least level of its own. */
  child(bindings: object, options?: { readonly level?: LogLevel }): Logger;
}

export interface LoggerOptions {
  /** Name of the service; stands in every line. */
  readonly service: string;
  readonly level: LogLevel;
  /** Where lines go; standard output when left out. */
  readonly destination?: { write(line: string): void };
}

/** A logger of JSON lines with `service` and `pid`. Secrets and credentials in URLs never appear. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const settings = {
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecrets },
    serializers: { err: (fields: unknown) => fields },
    hooks: { streamWrite: withoutCredentials },
  };
  const stream: DestinationStream = destination ?? pino.destination({ fd: 1, sync: true });
  return loggerOf(pino(settings, stream));
}

function loggerOf(logger: PinoLogger): Logger {
  const write = (level: LogLevel): Write => logger[level].bind(logger);
  return {
    trace: write("trace"),
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    fatal: write("fatal"),
    child: (bindings, options = {}) => loggerOf(logger.child(withoutSecrets(bindings), options)),
  };
}

/** Tells whoever started the process that it serves, at every log level. */
export function announceReady(logger: Logger, { httpPort }: { readonly httpPort: number }): void {
  logger.child({}, { level: "info" }).info({ event: "ready", http_port: httpPort }, "Ready");
}
