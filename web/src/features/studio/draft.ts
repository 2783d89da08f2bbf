import { loadDraft, saveDraft, type Values } from "@/components/draft";
import type { Action, Content, Generation, Order, Provider } from "./content";

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
export function draftOf({ provider, action, prompt, params, source, seed }: Order): Draft {
  return { provider, action, prompt, source, seeds: seed, params: { ...params } };
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

/** The order of a generation that was accepted: its results are fetched, and nothing is ordered. */
export function fetchingOf({ request, provider_task_id }: Generation, room: string): Values {
  const { provider, action, prompt, params, source } = request;
  return {
    provider,
    action_type: action,
    workflow_run_id: room,
    params: { ...params, prompt, ...(source && { source_image: source }) },
    task_id: provider_task_id,
  };
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
