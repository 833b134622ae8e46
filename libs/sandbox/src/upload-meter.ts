import type { SandboxConfig, WorkspaceReceipt } from "@antler/contracts";
import { AntlerError } from "@antler/contracts";

const LARGEST = 10;

/** Counts an upload against its limits. */
export interface UploadMeter {
  /** Counts an entry and the bytes it declares, before any of it is written. Errors: `workspace_too_large`. */
  add(path: string, bytes: number): void;
  /** Counts an entry that is neither file nor data, such as a directory. Errors: `workspace_too_large`. */
  addPlain(path: string): void;
  receipt(): WorkspaceReceipt;
}

interface Sized {
  readonly path: string;
  readonly bytes: number;
}

export function createUploadMeter(limits: SandboxConfig["upload"]): UploadMeter {
  let files = 0;
  let plain = 0;
  let bytes = 0;
  let largest: readonly Sized[] = [];
  const check = () => {
    if (files > limits.max_files) throw tooLarge("max_files", limits.max_files, largest);
    if (bytes > limits.max_bytes) throw tooLarge("max_bytes", limits.max_bytes, largest);
    // Directories are not files, but an archive of nothing else must end too.
    if (plain > 2 * limits.max_files + 1000) throw tooLarge("max_files", limits.max_files, largest);
  };
  return {
    add(path, size) {
      files += 1;
      bytes += size;
      largest = [...largest, { path, bytes: size }].sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
      check();
    },
    addPlain() {
      plain += 1;
      check();
    },
    receipt: () => ({ files, bytes }),
  };
}

function tooLarge(name: "max_files" | "max_bytes", value: number, largest: readonly Sized[]): AntlerError {
  const unit = name === "max_files" ? "files" : "bytes";
  const limit = `sandbox.upload.${name}`;
  return new AntlerError(
    "workspace_too_large",
    `The upload exceeds ${limit} (${value} ${unit}); leave out the entries that \`largest\` names, or raise the limit`,
    { details: { limit, largest } },
  );
}
