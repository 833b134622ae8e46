import { Command } from "commander";

import { type CommandContext, runTopologyApply } from "./topology-apply.ts";

/** The `antler` command line. A command that fails throws an AntlerError. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("antler").description("Operates an Antler deployment").showHelpAfterError();
  program
    .command("topology")
    .description("Streams and consumers on NATS")
    .command("apply")
    .description("Bring streams and consumers to the configuration, without a restart, and create what is missing")
    .option("-c, --config <path>", "configuration file; ANTLER_CONFIG, or antler.yaml in this directory, without it")
    .action((options: { config?: string }) => runTopologyApply(context, options.config));
  return program;
}
