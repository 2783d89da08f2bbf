import { expect, test } from "vitest";
import { describeMachine } from "./machine";

test("a machine is described in one line, without unknown values", () => {
  expect(describeMachine({ host: "gpu-2", cpus: 8, python: "3.12.1", pid: 71, colour: "red" })).toBe(
    "gpu-2 · 8 CPUs · Python 3.12.1 · process 71",
  );
  expect(describeMachine({})).toBe("No machine details.");
});
