/**
 * Which compressed form a client gets. By hand: `negotiator` would bring a second package and no types for these lines.
 */

/**
 * By the client's weights, then by the order of what is offered; null if it accepts none of it, or prefers plain bytes.
 */
export function chooseEncoding<Name extends string>(header: string | undefined, offered: readonly Name[]): Name | null {
  if (header === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Name | null = null;
  for (const name of offered) {
    if (weightOf(name) > (best === null ? (weights.get('identity') ?? 0) : weightOf(best))) best = name;
  }
  return best;
}
