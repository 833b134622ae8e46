export { runCommandLine } from "./command-line.ts";
export { type Interrupts, listenForInterrupts } from "./interrupts.ts";
export { reportStep, type Say } from "./report-step.ts";
export { runWithStack, type StackWork } from "./run-with-stack.ts";
export { isSetupError, SetupError } from "./setup-error.ts";
export type { ModelStandIn } from "./stack/model-choice.ts";
export { namesProvider } from "./stack/model-choice.ts";
export type { ServiceChoice } from "./stack/service-specs.ts";
export type { Stack, StackOptions } from "./stack/stack-options.ts";
export { startStack } from "./stack/start-stack.ts";
export type { ProcessSnapshot } from "./supervisor/supervised-process.ts";
export { type PreparedTools, prepareTools } from "./tools/prepare-tools.ts";
export {
  bubblewrap,
  natsServer,
  type ProvidedTool,
  provideTool,
  type SystemTool,
  type ToolContext,
} from "./tools/provide-tool.ts";
