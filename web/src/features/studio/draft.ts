import type { Job } from "@/api/schema";
import { loadDraft, saveDraft, type Values } from "@/components/draft";
import { ACTIONS, type Action } from "./actions";
import type { Content, Order, Provider } from "./content";

type Ordered = Omit<Order, "parent">;

const ID = { category: "media", name: "Studio" };

/** What is about to be ordered. It survives a reload of the tab. */
export interface Draft {
  provider: string;
  action: Action;
  prompt: string;
  /** Content or a file of the room, to begin with. */
  source: string;
  seeds: string;
  params: Values;
}

export const EMPTY: Draft = {
  provider: "local",
  action: "txt2img",
  prompt: "",
  source: "",
  seeds: "",
  params: {},
};

export function readDraft(room: string): Draft {
  return { ...EMPTY, ...(loadDraft(room, ID) as Partial<Draft> | null) };
}

export function keepDraft(room: string, draft: Draft): void {
  saveDraft(room, ID, { ...draft });
}

/** An order as a draft, to be sent again with changes. */
export function draftOf({ provider, action, prompt, params, source, seed }: Ordered): Draft {
  const { seed: _, ...others } = params;
  return { provider, action, prompt, source, seeds: seed, params: others };
}

/** What changes with the provider: its parameters, and an action that it cannot do. */
export function withProvider(draft: Draft, name: string, providers: Provider[]): Partial<Draft> {
  const actions = providers.find((each) => each.name === name)?.actions ?? [];
  const action = actions.includes(draft.action) ? draft.action : (actions[0] ?? "txt2img");
  return { provider: name, params: {}, action };
}

/** A draft that begins with content, at a provider that can do that: the one that made it, if it can. */
export function usedAs(draft: Draft, content: Content, action: Action, providers: Provider[]): Draft {
  const able = providers.filter((each) => mayUse(each, content, action));
  const names = able.map(({ name }) => name);
  const wanted = [content.request.provider, draft.provider].find((name) => names.includes(name));
  const provider = wanted ?? names[0] ?? draft.provider;
  const params = provider === draft.provider ? draft.params : {};
  const prompt = draft.prompt || content.request.prompt;
  return { ...draft, provider, params, action, prompt, source: content.id };
}

/** Whether a provider can do this with content. */
export function mayUse({ name, actions, own_sources }: Provider, content: Content, action: Action): boolean {
  return actions.includes(action) && (!own_sources.includes(action) || content.request.provider === name);
}

/** What a job was submitted with, which may be anything. */
export function orderOf({ data }: Pick<Job, "data">): Ordered {
  const { prompt, source_image, seed, ...params } = (data.params ?? {}) as Values;
  return {
    provider: String(data.provider ?? EMPTY.provider),
    action: ACTIONS.find((each) => each === data.action_type) ?? EMPTY.action,
    prompt: String(prompt ?? ""),
    source: String(source_image ?? ""),
    seed: String(seed ?? ""),
    params,
  };
}

/** A job that the provider has accepted, as an order that fetches its results and orders nothing. */
export function fetchingOf({ data, external }: Pick<Job, "data" | "external">): Values | null {
  const task_id = external.at(-1)?.id ?? data.task_id;
  return task_id ? { ...data, task_id } : null;
}

/** The values of the jobs that a draft stands for: one for each seed. */
export function payloadsOf(draft: Draft, room: string, seeds: number[]): Values[] {
  const params = {
    ...draft.params,
    prompt: draft.prompt,
    ...(draft.source && { source_image: draft.source }),
  };
  const base = { provider: draft.provider, action_type: draft.action, workflow_run_id: room };
  return (seeds.length > 0 ? seeds : [null]).map((seed) => ({
    ...base,
    params: seed === null ? params : { ...params, seed },
  }));
}
