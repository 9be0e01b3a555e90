/** What somebody meant who mistyped a word: the known words that are a slip or two away. */

const most = 3;

/** `; did you mean 'X' or 'Y'?`, or nothing. */
export function didYouMean(given: string, known: readonly string[], show = (word: string): string => word): string {
  const words = nearest(given.toLowerCase(), known).map((word) => `'${show(word)}'`);
  return words.length === 0 ? '' : `; did you mean ${words.join(' or ')}?`;
}

/** All equally near; none if nothing is near. */
function nearest(given: string, known: readonly string[]): readonly string[] {
  const begun = given.length < 3 ? [] : known.filter((word) => word.startsWith(given));
  if (begun.length > 0 && begun.length <= most) return begun;
  const allowed = Math.max(1, Math.floor(given.length / 3));
  const measured = known.map((word) => ({ word, slips: slipsBetween(given, word) }));
  const fewest = Math.min(...measured.map(({ slips }) => slips));
  return measured.flatMap(({ word, slips }) => (slips === fewest && slips <= allowed ? [word] : [])).slice(0, most);
}

/** Letters that were left out, added, changed, or swapped with the next one (optimal string alignment). */
function slipsBetween(one: string, other: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= one.length; i++) {
    const row: number[] = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        i === 0
          ? j
          : Math.min(
              at(i - 1, j) + 1,
              at(i, j - 1) + 1,
              at(i - 1, j - 1) + (isSame ? 0 : 1),
              isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
            ),
      );
    }
  }
  return at(one.length, other.length);
}
