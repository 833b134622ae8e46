export interface BoundedBody {
  readonly bytes: Uint8Array;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** Reads at most `maxBytes` of a body as it is after decompression, and lets go of the rest. */
export async function boundedBody(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<BoundedBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    const room = maxBytes - size;
    chunks.push(chunk.subarray(0, room));
    size += Math.min(chunk.length, room);
    if (chunk.length > room) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}
