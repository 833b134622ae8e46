import type { ThreadData } from "@antler/contracts";

import type { ReceiptBook } from "./receipts.ts";

export interface CommandRequest {
  readonly command: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Virtual directory in which the shell starts; `/mnt/user-data/workspace` without it. */
  readonly cwd?: string;
}

export interface CommandResult {
  /** Null when a signal ended the shell. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Standard output and standard error as they came, at most 20,000 characters: the middle is left out. */
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMs: number;
}

export interface ReadOptions {
  /** First line wanted, from 1. */
  readonly startLine?: number;
  /** Last line wanted, inclusive. */
  readonly endLine?: number;
  /** At most 50,000, which is also the default. */
  readonly maxChars?: number;
  readonly signal?: AbortSignal;
}

/** A binary file is an expected outcome, not an error: its bytes are not shown. */
export type ReadResult =
  | { readonly kind: "text"; readonly text: string; readonly truncated: boolean; readonly sizeBytes: number }
  | { readonly kind: "binary"; readonly sizeBytes: number };

export type EntryKind = "file" | "directory" | "link" | "other";

export interface DirectoryEntry {
  /** Virtual path. Bytes that are not UTF-8 and control characters stand as `\xNN`, which every operation accepts. */
  readonly path: string;
  readonly kind: EntryKind;
}

export interface Listing {
  readonly entries: readonly DirectoryEntry[];
  readonly truncated: boolean;
}

export interface FileStat {
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface GlobOptions {
  /** Directory to search; the workspace without it. */
  readonly path?: string;
  /** At most 200, which is also the default. */
  readonly limit?: number;
  readonly includeDirectories?: boolean;
  readonly signal?: AbortSignal;
}

export interface GlobResult {
  readonly paths: readonly string[];
  /** More matched, or the search ended early. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface GrepRequest {
  readonly pattern: string;
  /** File or directory to search; the workspace without it. */
  readonly path?: string;
  /** Only files that match; a pattern without a slash is held against the file's name. */
  readonly glob?: string;
  /** At most 100, which is also the default. */
  readonly limit?: number;
  readonly ignoreCase?: boolean;
  /** Takes the pattern as plain text instead of a regular expression. */
  readonly literal?: boolean;
  readonly signal?: AbortSignal;
}

export interface GrepMatch {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The line, at most 500 characters. */
  readonly text: string;
}

export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface WriteOptions {
  readonly append?: boolean;
}

export interface ReplaceOptions {
  /** Every occurrence; only the first without it. */
  readonly all?: boolean;
}

export interface ReplaceResult {
  /** 0 when the text does not occur; the file is then untouched. */
  readonly replacements: number;
}

/**
 * One execution's hold on a thread's workspace. Every path is virtual: under `/mnt/user-data/workspace`,
 * `/mnt/user-data/uploads`, `/mnt/user-data/outputs` or the read-only `/mnt/skills`; a relative path is relative to
 * the workspace. Paths of the host appear in no result and no message.
 *
 * Errors: `path_refused` with `details.reason` (see `PathRefusalReason`), `invalid_request` for arguments,
 * `sandbox_unavailable` from `run`; an abort rejects with the signal's reason.
 */
export interface Sandbox {
  readonly id: string;
  readonly threadData: ThreadData;
  /** What the tools of this execution did, as the runner saw it. */
  readonly receipts: ReceiptBook;
  /**
   * Runs a command in a fresh shell and returns when nothing of it lives any more. A timeout is a result
   * (`timedOut`), an abort rejects with the signal's reason.
   */
  run(request: CommandRequest): Promise<CommandResult>;
  readFile(path: string, options?: ReadOptions): Promise<ReadResult>;
  /** Replaces the file whole (content up to 80 KiB), or appends; missing directories are made. */
  writeFile(path: string, content: string, options?: WriteOptions): Promise<void>;
  /**
   * Replaces text; all other bytes stay. A bare `\n` stands for either line end and becomes that of its place, unless
   * one of the texts holds a `\r`.
   */
  replaceInFile(path: string, oldText: string, newText: string, options?: ReplaceOptions): Promise<ReplaceResult>;
  /** The entries of a directory, `depth` levels deep (default 2), sorted; links are not followed. */
  list(path: string, options?: { readonly depth?: number; readonly limit?: number }): Promise<Listing>;
  /** Files that match; links are not followed; `.git` and `node_modules` are left out unless named. */
  glob(pattern: string, options?: GlobOptions): Promise<GlobResult>;
  /** Lines that match, in text files; a pattern that runs away is stopped and what was found returned. */
  grep(request: GrepRequest): Promise<GrepResult>;
  /** What a path leads to, or undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Ends this hold: commands still running in it are killed. Repeatable. */
  release(): Promise<void>;
}
