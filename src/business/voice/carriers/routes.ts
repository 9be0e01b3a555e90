/** The operator's routes to carriers, and the price lists of carriers: adds, lists and removes them. */

import { OperatorError } from '../../../base/operator-error.ts';
import type { Environment } from '../../../engines/environment.ts';
import { checkedTerms, type NewTerms } from '../rates.ts';
import { noCarrier } from './carriers.ts';

export interface RouteSettings {
  carrier: string;
  /** Leading digits of the called number; empty for all numbers. */
  prefix: string;
  priority: number;
  weight: number;
}

/** Adds a route, or changes the priority and weight of the carrier's route for that prefix. */
export async function addRoute(env: Environment, { carrier, prefix, priority, weight }: RouteSettings): Promise<void> {
  checkRoutePrefix(prefix);
  await env.db
    .insertInto('carrier_routes')
    .values({ carrier_id: await carrierId(env, carrier), prefix, priority, weight })
    .onConflict((conflict) => conflict.columns(['prefix', 'carrier_id']).doUpdateSet({ priority, weight }))
    .execute();
}

export function checkRoutePrefix(prefix: string): void {
  if (!/^\d{0,15}$/.test(prefix)) throw new OperatorError(`"${prefix}" is not a prefix of digits.`);
}

export async function removeRoute(env: Environment, carrier: string, prefix: string): Promise<void> {
  const { numDeletedRows } = await env.db
    .deleteFrom('carrier_routes')
    .where('carrier_id', '=', await carrierId(env, carrier))
    .where('prefix', '=', prefix)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new OperatorError('There is no such route.');
}

export const listRoutes = (env: Environment): Promise<RouteSettings[]> =>
  env.db
    .selectFrom('carrier_routes as r')
    .innerJoin('carriers as c', 'c.id', 'r.carrier_id')
    .select(['c.name as carrier', 'r.prefix', 'r.priority', 'r.weight'])
    .orderBy('r.prefix')
    .orderBy('r.priority')
    .orderBy('c.name')
    .execute();

/** Sets what the carrier charges for calls to numbers with this prefix. */
export async function setCarrierRate(env: Environment, carrier: string, rate: NewTerms): Promise<void> {
  const { prefix, ...terms } = checkedTerms(rate);
  await env.db
    .insertInto('carrier_rates')
    .values({ carrier_id: await carrierId(env, carrier), prefix, ...terms })
    .onConflict((conflict) => conflict.columns(['carrier_id', 'prefix']).doUpdateSet(terms))
    .execute();
}

export async function removeCarrierRate(env: Environment, carrier: string, prefix: string): Promise<void> {
  const { numDeletedRows } = await env.db
    .deleteFrom('carrier_rates')
    .where('carrier_id', '=', await carrierId(env, carrier))
    .where('prefix', '=', prefix)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new OperatorError('There is no such rate.');
}

export function listCarrierRates(env: Environment) {
  return env.db
    .selectFrom('carrier_rates as r')
    .innerJoin('carriers as c', 'c.id', 'r.carrier_id')
    .selectAll('r')
    .select('c.name as carrier')
    .orderBy('c.name')
    .orderBy('r.prefix')
    .execute();
}

async function carrierId(env: Environment, name: string): Promise<string> {
  const row = await env.db.selectFrom('carriers').select('id').where('name', '=', name).executeTakeFirst();
  if (row === undefined) throw noCarrier(name);
  return row.id;
}
