export const MAX_SEEDS = 20;

type Schema = Record<string, unknown>;

/** The schema of a provider without its seed, for which there is a field of its own. */
export function withoutSeed(schema: Schema): { schema: Schema; hasSeed: boolean } {
  const { seed, ...properties } = (schema.properties ?? {}) as Schema;
  return { schema: { ...schema, properties }, hasSeed: seed !== undefined };
}

/** Seeds as they are typed: "3", "1, 2, 5-8". Null if they cannot be read, or are too many. */
export function parseSeeds(text: string): number[] | null {
  const seeds: number[] = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const [, first, last] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? [];
    if (first === undefined) return null;
    const [from, to] = [Number(first), Number(last ?? first)];
    if (to < from || to - from >= MAX_SEEDS) return null;
    for (let seed = from; seed <= to; seed++) seeds.push(seed);
  }
  return seeds.length > MAX_SEEDS ? null : [...new Set(seeds)];
}
