export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  const digits = count < 1000 ? String(count) : count.toLocaleString("en"); // the first toLocaleString call is slow
  return `${digits} ${count === 1 ? noun : plural}`;
}

/** For example 320 ms, 4.2 s, 3 min 5 s, 2 h 10 min, 3 d 4 h. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const [large, small, big, little] =
    seconds < 3600
      ? [Math.floor(seconds / 60), Math.floor(seconds % 60), "min", "s"]
      : seconds < 86_400
        ? [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), "h", "min"]
        : [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600), "d", "h"];
  return small ? `${large} ${big} ${small} ${little}` : `${large} ${big}`;
}

/** Roughly how long ago: just now, 40 s ago, 5 min ago, 3 d ago. */
export function formatAgo(ms: number): string {
  return ms < 5000 ? "just now" : `${formatDuration(ms).replace(/(min|h|d) .*/, "$1")} ago`;
}

export function formatBytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), units.length - 1);
  const value = size / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
