/** The order in which the trunks of a group are tried: ascending priority, and RFC 2782 weights among equals. */

export interface Ranked {
  priority: number;
  weight: number;
}

/** A number in [0, 1), as Math.random gives it; tests pass their own. */
export type Random = () => number;

export function orderTrunks<T extends Ranked>(trunks: readonly T[], random: Random = Math.random): T[] {
  const ordered = trunks.toSorted((a, b) => a.priority - b.priority || Number(a.weight > 0) - Number(b.weight > 0));
  for (let start = 0; start < ordered.length; ) {
    const priority = ordered[start]?.priority;
    let end = start + 1;
    while (ordered[end]?.priority === priority) end += 1;
    drawByWeight(ordered, start, end, random);
    start = end;
  }
  return ordered;
}

/**
 * RFC 2782: those of weight 0 stand first, a whole number from 0 to the sum of all weights is drawn, and the first whose
 * running sum reaches it is taken. So weight 0 keeps a tiny chance: the draw of exactly 0. In place, since every call
 * goes through here.
 */
function drawByWeight<T extends Ranked>(ordered: T[], start: number, end: number, random: Random): void {
  let sum = 0;
  for (let i = start; i < end; i++) sum += ordered[i]?.weight ?? 0;
  for (let place = start; place < end - 1; place++) {
    const draw = Math.floor(random() * (sum + 1));
    let index = place;
    let running = ordered[index]?.weight ?? 0;
    while (running < draw) {
      index += 1;
      running += ordered[index]?.weight ?? 0;
    }
    const drawn = ordered[index];
    if (drawn === undefined) throw new Error('a draw never exceeds the sum of the weights');
    ordered.copyWithin(place + 1, place, index);
    ordered[place] = drawn;
    sum -= drawn.weight;
  }
}
