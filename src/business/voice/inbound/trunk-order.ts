/**
 * The order in which the trunks of a group are tried: ascending priority, and RFC 2782 weights among equal priorities.
 */

export interface Ranked {
  priority: number;
  weight: number;
}

/** Returns a number in [0, 1), like Math.random; tests pass their own. */
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
 * RFC 2782: trunks of weight 0 come first; a random integer from 0 to the sum of all weights is drawn; the first trunk
 * whose running sum reaches it is chosen. A trunk of weight 0 is therefore chosen only if exactly 0 is drawn. Sorts in
 * place, because every call runs this.
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
