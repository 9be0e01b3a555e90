/** What an API key may do: areas of the interfaces, each whole (`numbers`) or reading only (`numbers:read`). */
import type { Caller } from './caller.ts';

const keyAreas = {
  coverage: 'Countries, cities, groups, prices and numbers in stock.',
  numbers: 'Your numbers and their history.',
  orders: 'Orders and reservations; they spend money.',
  voice: 'Trunks, trunk groups and capacity.',
  regulation: 'Identities, addresses, documents, verifications and emergency calling.',
  account: 'The balance and exports of call records.',
  sandbox: 'The clock, the inbox and the simulator of the sandbox.',
  secrets: 'Passwords of trunks in responses, which a key with scopes does not show otherwise.',
} as const;

export type KeyArea = keyof typeof keyAreas;

const keyAreaNames = Object.keys(keyAreas) as KeyArea[];

/** Secrets can only be read. */
export const keyScopes: readonly string[] = keyAreaNames.flatMap((area) =>
  area === 'secrets' ? ['secrets:read'] : [area, `${area}:read`],
);

/** Whether nothing is out of the reach of its key: passwords are read, everything else is used as the request does. */
export const mayUseAll = (caller: Pick<Caller, 'scopes'>, reads: boolean): boolean =>
  keyAreaNames.every((area) => mayUse(caller, area, reads || area === 'secrets'));

/** A key without scopes, and every other kind of caller, may do everything. */
export function mayUse({ scopes }: Pick<Caller, 'scopes'>, area: KeyArea, reads: boolean): boolean {
  if (scopes === null || scopes.includes(area)) return true;
  return reads && scopes.includes(`${area}:read`);
}
