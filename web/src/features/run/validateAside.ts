import type { FieldError } from "./schema/unparsed";

const LIMIT_MS = 1500;

interface Answer {
  number?: number;
  errors?: FieldError[];
  isReady?: boolean;
}

let worker: Promise<Worker> | null = null;
let questions = 0;

/** Validates in a worker, for a limited time. Without an answer there are no errors: the server validates again. */
export async function validateAside(values: unknown, schema: object): Promise<FieldError[]> {
  worker ??= start();
  const asked = worker;
  const current = await asked.catch(() => null);
  if (!current) return [];
  const number = ++questions;
  return new Promise((resolve) => {
    const finish = (errors: FieldError[]) => {
      clearTimeout(timer);
      current.removeEventListener("message", listen);
      resolve(errors);
    };
    const listen = ({ data }: MessageEvent<Answer>) => data.number === number && finish(data.errors ?? []);
    const timer = setTimeout(() => {
      current.terminate();
      if (worker === asked) worker = null; // another question may have replaced it already
      finish([]);
    }, LIMIT_MS);
    current.addEventListener("message", listen);
    current.postMessage({ number, values: JSON.parse(JSON.stringify(values)), schema });
  });
}

/** Loading the worker does not count as validating. One that fails is started again for the next question. */
function start(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const started = new Worker(new URL("./validation.worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", () => resolve(started), { once: true });
    started.addEventListener(
      "error",
      (event) => {
        started.terminate();
        worker = null;
        reject(event);
      },
      { once: true },
    );
  });
}
