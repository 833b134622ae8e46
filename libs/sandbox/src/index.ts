export { type ProviderReason } from "./choose-provider.ts";
export { OUTPUT_MAX_CHARS } from "./command-output.ts";
export { type ProviderName } from "./command-provider.ts";
export { type PathRefusalReason, refusalReasonOf } from "./path-refusal.ts";
export { READ_MAX_CHARS } from "./read-text.ts";
export {
  createReceiptBook,
  type Receipt,
  type ReceiptBook,
  RECEIPTS_MAX,
  type ReceiptStatus,
  type ToolCallRecord,
} from "./receipts.ts";
export { safeName } from "./safe-name.ts";
export {
  type CommandRequest,
  type CommandResult,
  type DirectoryEntry,
  type EntryKind,
  type FileStat,
  type GlobOptions,
  type GlobResult,
  type GrepMatch,
  type GrepRequest,
  type GrepResult,
  type Listing,
  type ReadOptions,
  type ReadResult,
  type ReplaceOptions,
  type ReplaceResult,
  type Sandbox,
  type WriteOptions,
} from "./sandbox.ts";
export { GLOB_MAX_PATHS, GREP_MAX_MATCHES } from "./search-files.ts";
export { type SkillMounts } from "./skill-mounts.ts";
export { OUTPUTS_ROOT, SKILLS_ROOT, UPLOADS_ROOT, WORKSPACE_ROOT } from "./virtual-roots.ts";
export { createWorkspaces, type OpenOptions, type Workspaces, type WorkspacesOptions } from "./workspaces.ts";
export { WRITE_MAX_BYTES } from "./write-text.ts";
