/** The machine details that a worker reported, in one line. */
export function describeMachine({ host, system, cpus, python, pid }: Record<string, unknown>): string {
  const known = [
    host && String(host),
    system && String(system),
    typeof cpus === "number" && `${cpus} ${cpus === 1 ? "CPU" : "CPUs"}`,
    python && `Python ${python}`,
    pid && `process ${pid}`,
  ];
  return known.filter(Boolean).join(" · ") || "No machine details.";
}
