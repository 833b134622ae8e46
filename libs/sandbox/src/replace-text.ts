import { AntlerError } from "@antler/contracts";

import { looksBinary, withReadable } from "./open-regular.ts";
import { pathRefused } from "./path-refusal.ts";
import type { ResolvedPath } from "./path-resolver.ts";
import type { ReplaceOptions, ReplaceResult } from "./sandbox.ts";
import { replaceContents } from "./write-text.ts";

const REPLACE_MAX_BYTES = 16 * 1024 * 1024;

export interface Replacement extends ReplaceOptions {
  readonly oldText: string;
  readonly newText: string;
}

/** Replaces text byte for byte, so that the rest of the file stays as it is, whatever its encoding. */
export async function replaceText(file: ResolvedPath, replacement: Replacement): Promise<ReplaceResult> {
  if (replacement.oldText === "") throw new AntlerError("invalid_request", "Field old_str must not be empty");
  const before = await readWhole(file);
  const oldBytes = Buffer.from(replacement.oldText);
  const places = placesOf(before, oldBytes, replacement.all === true ? Number.POSITIVE_INFINITY : 1);
  if (places.length === 0) return { replacements: 0 };
  await replaceContents(file, splice(before, places, oldBytes.length, Buffer.from(replacement.newText)));
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

function placesOf(text: Buffer, wanted: Buffer, max: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && places.length < max; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function splice(text: Buffer, places: readonly number[], oldLength: number, inserted: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.subarray(from, place), inserted);
    from = place + oldLength;
  }
  return Buffer.concat([...parts, text.subarray(from)]);
}
