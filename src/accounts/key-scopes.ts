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
} as const;

export type KeyArea = keyof typeof keyAreas;

export const keyScopes: readonly string[] = Object.keys(keyAreas).flatMap((area) => [area, `${area}:read`]);

/** A key without scopes, and every other kind of caller, may do everything. */
export function mayUse({ scopes }: Pick<Caller, 'scopes'>, area: KeyArea, method: string): boolean {
  if (scopes === null || scopes.includes(area)) return true;
  return (method === 'GET' || method === 'HEAD') && scopes.includes(`${area}:read`);
}
