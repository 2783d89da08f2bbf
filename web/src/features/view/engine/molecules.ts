import type { Bonds } from "./bondSearch";

/** All atoms that bonds connect with one, also across boundaries. */
export function moleculeOf(atom: number, bonds: Bonds, count: number): number[] {
  const { starts, neighbours } = adjacency(bonds, count);
  const isSeen = new Uint8Array(count);
  const found = [atom];
  isSeen[atom] = 1;
  for (let at = 0; at < found.length; at++) {
    const each = found[at] as number;
    for (let place = starts[each] as number; place < (starts[each + 1] as number); place++) {
      const other = neighbours[place] as number;
      if (!isSeen[other]) {
        isSeen[other] = 1;
        found.push(other);
      }
    }
  }
  return found.sort((a, b) => a - b);
}

function adjacency({ pairs }: Bonds, count: number) {
  const starts = new Uint32Array(count + 2);
  for (const atom of pairs) starts[atom + 2] = (starts[atom + 2] as number) + 1;
  for (let atom = 2; atom < starts.length; atom++)
    starts[atom] = (starts[atom] as number) + (starts[atom - 1] as number);
  const neighbours = new Uint32Array(pairs.length);
  for (let at = 0; at < pairs.length; at += 2) {
    const [a, b] = [pairs[at] as number, pairs[at + 1] as number];
    neighbours[take(starts, a + 1)] = b;
    neighbours[take(starts, b + 1)] = a;
  }
  return { starts, neighbours };
}

/** The place that a counter points to; it moves on. */
function take(counters: Uint32Array, at: number): number {
  const place = counters[at] as number;
  counters[at] = place + 1;
  return place;
}
