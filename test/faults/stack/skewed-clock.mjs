/**
 * Loaded into a service with `--import`: its time of day differs by CLOCK_SKEW_MS from the machine's. The monotonic
 * clock stays as it is, as with a machine whose time was set wrong.
 */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);

globalThis.Date = new Proxy(Date, {
  apply: (real) => new real(real.now() + skewMs).toString(),
  construct: (real, given) => Reflect.construct(real, given.length === 0 ? [real.now() + skewMs] : given),
  get: (real, key) => (key === "now" ? () => real.now() + skewMs : Reflect.get(real, key)),
});
