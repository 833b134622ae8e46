import { AntlerError } from "@antler/contracts";

import { looksBinary, withReadable } from "./open-regular.ts";
import { pathRefused } from "./path-refusal.ts";
import type { ResolvedPath } from "./path-resolver.ts";
import { type ReplacementPlace, replacementPlaces } from "./replacement-places.ts";
import type { ReplaceOptions, ReplaceResult } from "./sandbox.ts";
import { replaceContents } from "./write-text.ts";

const REPLACE_MAX_BYTES = 16 * 1024 * 1024;

export interface Replacement extends ReplaceOptions {
  readonly oldText: string;
  readonly newText: string;
}

/** Replaces text in the file's bytes, so that the rest stays as it is, whatever its encoding. */
export async function replaceText(file: ResolvedPath, replacement: Replacement): Promise<ReplaceResult> {
  const { oldText, newText, all = false } = replacement;
  if (oldText === "") throw new AntlerError("invalid_request", "Field old_str must not be empty");
  const before = await readWhole(file);
  const places = replacementPlaces(before, { oldText, newText, max: all ? Number.POSITIVE_INFINITY : 1 });
  if (places.length === 0) return { replacements: 0 };
  await replaceContents(file, splice(before, places));
  return { replacements: places.length };
}

async function readWhole(file: ResolvedPath): Promise<Buffer> {
  return withReadable(file, async ({ handle, sizeBytes }) => {
    if (sizeBytes > REPLACE_MAX_BYTES) throw pathRefused("too_large", file.virtual);
    const contents = await handle.readFile();
    if (looksBinary(contents)) throw pathRefused("binary", file.virtual);
    return contents;
  });
}

function splice(text: Buffer, places: readonly ReplacementPlace[]): Buffer {
  const parts: Buffer[] = [];
  let kept = 0;
  for (const { from, to, inserted } of places) {
    parts.push(text.subarray(kept, from), inserted);
    kept = to;
  }
  return Buffer.concat([...parts, text.subarray(kept)]);
}
