/**
 * The length to which texts must be cut so that they are at most `room` characters together: the longest are cut first,
 * and none that is not longer than the others' share. Infinity when they fit as they are.
 */
export function fairLength(lengths: readonly number[], room: number): number {
  let left = Math.max(0, room);
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
