// Reads a stream with npm's eventsource and writes each event as a line of JSON, until `end` or a signal.
import { EventSource } from "eventsource";

const [url, token] = process.argv.slice(2);
const names = ["open", "reset", "state", "progress", "log", "preview", "artifact", "chat", "files", "end"];

const source = new EventSource(url, {
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
});

for (const name of names) {
  source.addEventListener(name, (event) => {
    if (event.data === undefined) return; // `open` is also the source's own event
    const line = { name, id: event.lastEventId, data: JSON.parse(event.data) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    if (name === "end") source.addEventListener("error", () => process.exit(0));
  });
}
source.addEventListener("error", (event) => process.stderr.write(`error ${event.code ?? ""}\n`));
