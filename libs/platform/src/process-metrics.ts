/** Memory, processor time and start of this process in Prometheus' text format. */
export function processMetrics(): string {
  const { user, system } = process.cpuUsage();
  return [
    ...gauge("process_resident_memory_bytes", "Resident memory", process.memoryUsage.rss()),
    ...gauge("process_start_time_seconds", "Start of the process since the epoch", startedSeconds()),
    "# HELP process_cpu_seconds_total Processor time used",
    "# TYPE process_cpu_seconds_total counter",
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    "",
  ].join("\n");
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

function startedSeconds(): number {
  return Math.round(performance.timeOrigin / 1000);
}
