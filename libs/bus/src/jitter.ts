/** From `ms` to twice that, so that processes which fail together do not come back together. */
export function jittered(ms: number): number {
  return ms * (1 + Math.random());
}
