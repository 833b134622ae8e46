/**
 * Most model calls of a lead: a run's `config.recursion_limit` may lower what the configuration allows
 * (`runs.max_model_calls`), and never raises it.
 */
export function modelCallLimit(requested: Readonly<Record<string, unknown>>, configured: number): number {
  const { recursion_limit: limit } = requested;
  return typeof limit === "number" && limit >= 1 ? Math.min(Math.floor(limit), configured) : configured;
}
