import { expect, test } from "vitest";
import { machineText } from "./machine";

test("a machine is told in one line, without what is not known", () => {
  expect(machineText({ host: "gpu-2", cpus: 8, python: "3.12.1", pid: 71, colour: "red" })).toBe(
    "gpu-2 · 8 CPUs · Python 3.12.1 · process 71",
  );
  expect(machineText({})).toBe("It says nothing of its machine.");
});
