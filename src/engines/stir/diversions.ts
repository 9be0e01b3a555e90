/** The way of a forwarded call from the number that was signed to the one that is called (RFC 8946). */
import type { SignedPassport } from './identity-header.ts';
import type { Destinations, Originator } from './passport.ts';

/** The shortest row of forwardings, none if the number was signed itself; null if there is no way. */
export function divertedTo<S extends SignedPassport>(
  base: S,
  diversions: readonly S[],
  called: Destinations,
): readonly S[] | null {
  const waiting: { at: Destinations; steps: readonly S[] }[] = [{ at: base.passport.dest, steps: [] }];
  const used = new Set<S>();
  for (const { at, steps } of waiting) {
    if (namesOf(called).some((name) => namesOf(at).includes(name))) return steps;
    for (const step of diversions) {
      const { div, orig, dest } = step.passport;
      if (used.has(step) || div === undefined || !namesOf(at).includes(nameOf(div))) continue;
      if (nameOf(orig) !== nameOf(base.passport.orig)) continue;
      used.add(step);
      waiting.push({ at: dest, steps: [...steps, step] });
    }
  }
  return null;
}

const nameOf = (party: Originator): string => ('tn' in party ? `tn:${party.tn}` : `uri:${party.uri.toLowerCase()}`);

const namesOf = ({ tn = [], uri = [] }: Destinations): string[] => [
  ...tn.map((number) => nameOf({ tn: number })),
  ...uri.map((text) => nameOf({ uri: text })),
];
