/** The order in which the trunks of a group are tried: ascending priority, and RFC 2782 weights among equals. */

export interface Ranked {
  priority: number;
  weight: number;
}

/** A number in [0, 1), as Math.random gives it; tests pass their own. */
export type Random = () => number;

export function orderTrunks<T extends Ranked>(trunks: readonly T[], random: Random = Math.random): T[] {
  if (trunks.length < 2) return [...trunks];
  const byPriority = new Map<number, T[]>();
  for (const trunk of trunks) {
    const equals = byPriority.get(trunk.priority);
    if (equals) equals.push(trunk);
    else byPriority.set(trunk.priority, [trunk]);
  }
  const priorities = [...byPriority.keys()].sort((a, b) => a - b);
  return priorities.flatMap((priority) => drawByWeight(byPriority.get(priority) ?? [], random));
}

/**
 * RFC 2782: those of weight 0 stand first, a whole number from 0 to the sum of all weights is drawn, and the first whose
 * running sum reaches it is taken. So weight 0 keeps a tiny chance: the draw of exactly 0.
 */
function drawByWeight<T extends Ranked>(equals: readonly T[], random: Random): T[] {
  const left = [...equals.filter(({ weight }) => weight === 0), ...equals.filter(({ weight }) => weight > 0)];
  const drawn: T[] = [];
  while (left.length > 1) {
    const sum = left.reduce((total, { weight }) => total + weight, 0);
    const draw = Math.floor(random() * (sum + 1));
    let running = 0;
    const index = left.findIndex(({ weight }) => {
      running += weight;
      return running >= draw;
    });
    drawn.push(...left.splice(index, 1));
  }
  return [...drawn, ...left];
}
