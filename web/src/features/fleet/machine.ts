/** What a worker says of its machine, as far as it says it. */
export function machineText({ host, system, cpus, python, pid }: Record<string, unknown>): string {
  const known = [
    host && String(host),
    system && String(system),
    typeof cpus === "number" && `${cpus} ${cpus === 1 ? "CPU" : "CPUs"}`,
    python && `Python ${python}`,
    pid && `process ${pid}`,
  ];
  return known.filter(Boolean).join(" · ") || "It says nothing of its machine.";
}
