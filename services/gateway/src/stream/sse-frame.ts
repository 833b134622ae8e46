/** One server-sent event. Only frames of stored events carry an `id`: the number from which a client may resume. */
export interface Frame {
  readonly event: string;
  readonly data: unknown;
  readonly id?: number;
}

/** A comment that keeps proxies and clients from taking a quiet stream for a dead one. */
export const HEARTBEAT_COMMENT = ": heartbeat\n\n";

/** JSON never holds a raw line break, so one `data` line is enough. */
export function encodeFrame({ event, data, id }: Frame): string {
  const identified = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event.replaceAll(/[\r\n]/g, " ")}\ndata: ${JSON.stringify(data ?? null)}\n${identified}\n`;
}

/** Gives the number of the stored event to the last of its frames, so that a resuming client misses none of them. */
export function numbered(frames: readonly Frame[], seq: number): readonly Frame[] {
  return frames.map((frame, index) => (index === frames.length - 1 ? { ...frame, id: seq } : frame));
}
