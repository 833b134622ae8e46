/** Cuts what arrives on a connection into whole messages. */
export interface MessageStream {
  /** Takes a chunk and returns the messages that are complete now. Throws RangeError on an impossible length. */
  push(chunk: Buffer): Buffer[];
}

const MIN_MESSAGE_BYTES = 16;
const LENGTH_FIELD_BYTES = 4;

/** Creates a stream that accepts messages of up to `maxBytes`. */
export function createMessageStream(maxBytes: number): MessageStream {
  let chunks: Buffer[] = [];
  let buffered = 0;

  /** All that is buffered in one piece; pieces are joined only when a message is complete. */
  const joined = (): Buffer => {
    const [first = Buffer.alloc(0)] = chunks;
    const whole = chunks.length > 1 ? Buffer.concat(chunks) : first;
    chunks = [whole];
    return whole;
  };

  const nextLength = (): number | undefined => {
    if (buffered < MIN_MESSAGE_BYTES) return undefined;
    const [first] = chunks;
    const source = first !== undefined && first.length >= LENGTH_FIELD_BYTES ? first : joined();
    const length = source.readInt32LE(0);
    if (length < MIN_MESSAGE_BYTES || length > maxBytes) throw new RangeError(`Message of ${String(length)} bytes`);
    return length;
  };

  return {
    push(chunk) {
      const messages: Buffer[] = [];
      chunks.push(chunk);
      buffered += chunk.length;
      for (let length = nextLength(); length !== undefined && buffered >= length; length = nextLength()) {
        const whole = joined();
        messages.push(whole.subarray(0, length));
        chunks = whole.length > length ? [whole.subarray(length)] : [];
        buffered = whole.length - length;
      }
      return messages;
    },
  };
}
