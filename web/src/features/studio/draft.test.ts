import { describe, expect, it } from "vitest";
import type { Job } from "@/api/schema";
import type { Content, Provider } from "./content";
import { draftOf, EMPTY, fetchingOf, orderOf, payloadsOf, usedAs, withProvider } from "./draft";

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

describe("draftOf", () => {
  it("has the seed in its own field alone", () => {
    const order = { provider: "mj", action: "txt2img", prompt: "", source: "", seed: "7" } as const;
    expect(draftOf({ ...order, params: { seed: 7, width: 64 } })).toMatchObject({
      seeds: "7",
      params: { width: 64 },
    });
  });
});

const job = (data: Job["data"], ...external: string[]) =>
  ({ data, external: external.map((id) => ({ id })) }) as Job;

describe("orderOf", () => {
  it("reads what a job was submitted with", () => {
    const params = { prompt: "a fox", source_image: "gc_1", seed: 7, width: 64 };
    expect(orderOf(job({ provider: "mj", action_type: "vary", params }))).toEqual({
      provider: "mj",
      action: "vary",
      prompt: "a fox",
      source: "gc_1",
      seed: "7",
      params: { width: 64 },
    });
  });

  it("has something for a job that was submitted with nothing, or with nonsense", () => {
    expect(orderOf(job({ action_type: "dance" }))).toMatchObject({ provider: "local", action: "txt2img" });
  });
});

describe("fetchingOf", () => {
  it("names the task that the provider has accepted last", () => {
    const data = { provider: "mj", params: { prompt: "a fox" } };
    expect(fetchingOf(job(data, "t1", "t2"))).toEqual({ ...data, task_id: "t2" });
    expect(fetchingOf(job({ ...data, task_id: "t3" }))).toEqual({ ...data, task_id: "t3" });
  });

  it("is nothing for an order that was not accepted", () => {
    expect(fetchingOf(job({ provider: "mj" }))).toBeNull();
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
