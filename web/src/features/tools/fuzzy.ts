/** Finds what was meant, in spite of a typo. */

/** How well a text fits the query: 0 if it does not. Every word of the query must fit. */
export function fitness(query: string, text: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  const candidates = lower.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const scores = words.map((word) => wordFit(word, lower, candidates));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) + 1;
}

function wordFit(word: string, text: string, candidates: string[]): number {
  if (candidates.some((each) => each.startsWith(word))) return 4;
  if (text.includes(word)) return 3;
  if (candidates.some((each) => isTypo(word, each))) return 2;
  return isInitials(word, candidates) ? 1 : 0;
}

/** One typo in a short word, two in a long one. The word may still be unfinished. */
function isTypo(word: string, candidate: string): boolean {
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  if (allowed === 0) return false;
  const lengths = [word.length - 1, word.length, word.length + 1, candidate.length];
  return lengths.some((length) => distance(word, candidate.slice(0, length)) <= allowed);
}

function isInitials(word: string, candidates: string[]): boolean {
  return (
    word.length > 1 &&
    candidates
      .map((each) => each[0])
      .join("")
      .includes(word)
  );
}

/** Insertions, deletions, replacements and swaps of neighbours. */
export function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let best = Math.min(
        (rows[row - 1]?.[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (rows[row - 1]?.[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwap) best = Math.min(best, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      current.push(best);
    }
    rows.push(current);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
