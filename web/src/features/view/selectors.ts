/** Who selected what. The room has one selection; each of its atoms belongs to the person who added it. */
export type Selectors = ReadonlyMap<number, string>;

export interface Share {
  readonly user: string;
  readonly atoms: readonly number[];
}

/** `user` made the selection what it is: the atoms that are new in it are theirs, the others stay with whom they were. */
export function attribute(before: Selectors, atoms: readonly number[], user: string): Selectors {
  return new Map(atoms.map((atom) => [atom, before.get(atom) ?? user]));
}

/** The selection by person. */
export function sharesOf(selectors: Selectors): Share[] {
  const shares = new Map<string, number[]>();
  for (const [atom, user] of selectors) {
    const own = shares.get(user);
    if (own) own.push(atom);
    else shares.set(user, [atom]);
  }
  return [...shares].map(([user, atoms]) => ({ user, atoms }));
}
