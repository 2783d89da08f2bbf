import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The browser's worker, which Node does not have. Each behaves as the next of `behaviours`. */
class BrowserWorker extends EventTarget {
  static all: BrowserWorker[] = [];
  static behaviours: ("answers" | "hangs" | "fails")[] = [];
  private readonly behaviour = BrowserWorker.behaviours[BrowserWorker.all.length] ?? "answers";
  isTerminated = false;

  constructor() {
    super();
    BrowserWorker.all.push(this);
    if (this.behaviour === "fails") queueMicrotask(() => this.dispatchEvent(new Event("error")));
    else this.say({ isReady: true });
  }

  postMessage({ number }: { number: number }) {
    if (this.behaviour === "answers") this.say({ number, errors: ERRORS });
  }

  terminate() {
    this.isTerminated = true;
  }

  private say(data: object) {
    queueMicrotask(() => !this.isTerminated && this.dispatchEvent(new MessageEvent("message", { data })));
  }
}

let validateAside: typeof import("./validateAside").validateAside;
const ERRORS = [{ path: ["a"], message: "is wrong" }];

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal("Worker", BrowserWorker);
  BrowserWorker.all = [];
  ({ validateAside } = await import("./validateAside"));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a worker that failed to load is started again the next time", async () => {
  BrowserWorker.behaviours = ["fails", "answers"];
  expect(await validateAside({}, {})).toEqual([]);

  expect(await validateAside({}, {})).toEqual(ERRORS);
  expect(BrowserWorker.all.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
});

test("a worker that takes too long is replaced once, however many questions it left open", async () => {
  BrowserWorker.behaviours = ["hangs", "answers"];
  const first = validateAside({}, {});
  await vi.advanceTimersByTimeAsync(1000);
  const second = validateAside({}, {});
  await vi.advanceTimersByTimeAsync(600);
  expect(await first).toEqual([]);
  expect(await validateAside({}, {})).toEqual(ERRORS);

  await vi.advanceTimersByTimeAsync(1000);
  expect(await second).toEqual([]);
  expect(await validateAside({}, {})).toEqual(ERRORS);

  expect(BrowserWorker.all.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
});
