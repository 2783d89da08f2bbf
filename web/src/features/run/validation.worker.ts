/** Validates beside the page: a pattern or schema that takes forever does not stop it. */
import { validate } from "./validation";

interface Question {
  number: number;
  values: unknown;
  schema: object;
}

self.onmessage = ({ data: { number, values, schema } }: MessageEvent<Question>) => {
  try {
    self.postMessage({ number, errors: validate(values, schema) });
  } catch {
    self.postMessage({ number, errors: [] }); // the server validates everything again
  }
};
self.postMessage({ isReady: true });
