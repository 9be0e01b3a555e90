/** Which providers are asked for a number, in which order: the longest prefix first, then by priority. */
import type { Environment } from '../../environment.ts';
import type { DeliveryMethod } from '../fields.ts';

export interface RoutedProvider {
  id: string;
  name: string;
  kind: 'http' | 'smpp';
  settings: Record<string, unknown>;
  sealedSecret: string | null;
  /** In a row; see provider-health.ts. */
  failures: number;
  setAsideUntil: Date | null;
}

export async function providersFor(
  env: Environment,
  method: DeliveryMethod,
  destination: string,
): Promise<RoutedProvider[]> {
  const rows = await env.db
    .selectFrom('verification_routes as r')
    .innerJoin('verification_providers as p', 'p.id', 'r.provider_id')
    .select([
      'p.id',
      'p.name',
      'p.kind',
      'p.settings',
      'p.sealed_secret as sealedSecret',
      'p.failures',
      'p.set_aside_until as setAsideUntil',
      'r.prefix',
      'r.priority',
    ])
    .where('r.delivery_method', '=', method)
    .where('p.enabled', '=', true)
    .where((where) => where.fn<boolean>('starts_with', [where.val(destination), 'r.prefix']))
    .execute();
  rows.sort((a, b) => b.prefix.length - a.prefix.length || a.priority - b.priority || a.name.localeCompare(b.name));
  // A provider that several prefixes lead to is asked once, at its best place.
  return [...new Map([...rows].reverse().map((row) => [row.id, row])).values()].reverse();
}
