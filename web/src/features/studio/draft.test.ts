import { describe, expect, it } from "vitest";
import type { Content, Generation, Provider } from "./content";
import { EMPTY, fetchingOf, payloadsOf, usedAs, withProvider } from "./draft";

const provider = (name: string, actions: string[], own_sources: string[] = []) =>
  ({ name, actions, own_sources }) as Provider;
const PROVIDERS = [
  provider("local", ["img2img", "txt2img", "upscale"]),
  provider("mj", ["txt2img", "upscale", "vary"], ["upscale", "vary"]),
];
const content = (maker: string) => ({ id: "gc_1", request: { provider: maker, prompt: "a fox" } }) as Content;

describe("withProvider", () => {
  it("keeps an action that the provider can do, and takes another one instead of one that it cannot", () => {
    expect(withProvider(EMPTY, "mj", PROVIDERS)).toEqual({ provider: "mj", params: {}, action: "txt2img" });
    expect(withProvider({ ...EMPTY, action: "img2img" }, "mj", PROVIDERS).action).toBe("txt2img");
  });
});

describe("usedAs", () => {
  it("chooses the provider that made the image, if it can do that", () => {
    expect(usedAs(EMPTY, content("mj"), "vary", PROVIDERS).provider).toBe("mj");
  });

  it("gives no provider an image that it did not make, where it needs one", () => {
    const draft = usedAs({ ...EMPTY, provider: "mj" }, content("local"), "upscale", PROVIDERS);
    expect(draft).toMatchObject({ provider: "local", source: "gc_1", prompt: "a fox" });
  });
});

describe("fetchingOf", () => {
  it("names the task that the provider has already", () => {
    const generation = {
      provider_task_id: "t1",
      request: { provider: "mj", action: "txt2img", prompt: "a fox", params: {}, source: "" },
    } as unknown as Generation;
    expect(fetchingOf(generation, "lab")).toMatchObject({
      provider: "mj",
      task_id: "t1",
      params: { prompt: "a fox" },
    });
  });
});

describe("payloadsOf", () => {
  it("makes a job for each seed", () => {
    const payloads = payloadsOf({ ...EMPTY, prompt: "a fox", params: { width: 64 } }, "lab", [1, 2]);
    expect(payloads.map(({ params }) => params)).toEqual([
      { width: 64, prompt: "a fox", seed: 1 },
      { width: 64, prompt: "a fox", seed: 2 },
    ]);
  });

  it("makes one job without seeds, with the image to begin with", () => {
    expect(payloadsOf({ ...EMPTY, action: "vary", source: "gc_1" }, "lab", [])).toEqual([
      {
        provider: "local",
        action_type: "vary",
        workflow_run_id: "lab",
        params: { prompt: "", source_image: "gc_1" },
      },
    ]);
  });
});
