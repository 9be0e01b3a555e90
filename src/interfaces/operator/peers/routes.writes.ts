/** What an operator does with routes: which provider gets codes, and which carrier calls, for numbers with a prefix. */

import { OperatorError } from '../../../base/operator-error.ts';
import {
  addRoute,
  checkRoutePrefix,
  listRoutes,
  type RouteSettings,
  removeRoute,
} from '../../../business/voice/carriers/routes.ts';
import type { Environment } from '../../../engines/environment.ts';
import {
  deleteRoute,
  type Route as SavedProviderRoute,
  saveRoute,
} from '../../verification/delivery/manage-providers.ts';
import { type Acting, act } from '../act.ts';
import { lockCarrier, type WhichCarrier } from './carriers.writes.ts';
import { lockProvider, type WhichProvider } from './providers.writes.ts';

const noRoute = () => new OperatorError('There is no such route.');

type ProviderRoute = Omit<SavedProviderRoute, 'provider'> & { provider: WhichProvider };

/** Adds a route, or changes the priority of the one that exists. Returns the id. */
export function setProviderRoute(acting: Acting, route: ProviderRoute, priority: number): Promise<string> {
  return act(acting, async (env) => {
    const { id: providerId, name } = await lockProvider(env, route.provider);
    const before = await providerRouteOf(env, { ...route, providerId });
    await saveRoute(env, { ...route, provider: name }, priority);
    const after = await providerRouteOf(env, { ...route, providerId });
    if (after === undefined) throw noRoute();
    return {
      ...aboutProviderRoute(after.id),
      result: after.id,
      action: 'provider_route.saved',
      ...(before === undefined ? {} : { before: { priority: before.priority } }),
      after: before === undefined ? { ...keyOf(route), provider: name, priority } : { priority },
    };
  });
}

export function changeProviderRoute(acting: Acting, id: string, priority: number | undefined): Promise<void> {
  return act(acting, async (env) => {
    const before = await providerRouteById(env, id);
    if (priority === undefined) throw new OperatorError('Nothing else can be changed than the priority.');
    await env.db.updateTable('verification_routes').set({ priority }).where('id', '=', id).execute();
    const states = { before: { priority: before.priority }, after: { priority } };
    return { ...aboutProviderRoute(id), result: undefined, action: 'provider_route.saved', ...states };
  });
}

export function dropProviderRoute(acting: Acting, which: { id: string } | ProviderRoute): Promise<void> {
  return act(acting, async (env) => {
    const found = 'id' in which ? await providerRouteById(env, which.id) : await namedProviderRoute(env, which);
    const { name } = await lockProvider(env, { id: found.provider_id });
    const key = { deliveryMethod: found.delivery_method, prefix: found.prefix };
    await deleteRoute(env, { ...key, provider: name });
    const before = { ...keyOf(key), provider: name, priority: found.priority };
    return { ...aboutProviderRoute(found.id), result: undefined, action: 'provider_route.removed', before };
  });
}

export type CarrierRoute = Pick<RouteSettings, 'prefix'> & { carrier: WhichCarrier };
type CarrierRouteTerms = Partial<Pick<RouteSettings, 'priority' | 'weight'>>;

const usualTerms = { priority: 10, weight: 10 };

/** Adds a route, or changes the order in which the one that exists is tried. */
export function setCarrierRoute(acting: Acting, route: CarrierRoute, terms: CarrierRouteTerms): Promise<void> {
  return act(acting, async (env) => {
    checkRoutePrefix(route.prefix);
    const { name } = await lockCarrier(env, route.carrier);
    const former = await carrierRouteOf(env, name, route.prefix);
    const after = { ...usualTerms, ...former, ...terms };
    await addRoute(env, { carrier: name, prefix: route.prefix, ...after });
    const subject = { type: 'carrier_routes', id: `${name} ${route.prefix || 'all'}` };
    const before = { before: former ?? { priority: null, weight: null } };
    return { result: undefined, action: 'route.saved', accountId: null, subject, ...before, after };
  });
}

export function dropCarrierRoute(acting: Acting, route: CarrierRoute): Promise<void> {
  return act(acting, async (env) => {
    const { name } = await lockCarrier(env, route.carrier);
    const before = await carrierRouteOf(env, name, route.prefix);
    await removeRoute(env, name, route.prefix);
    const subject = { type: 'carrier_routes', id: `${name} ${route.prefix || 'all'}` };
    return { result: undefined, action: 'route.removed', accountId: null, subject, before: { ...before } };
  });
}

async function carrierRouteOf(env: Environment, carrier: string, prefix: string) {
  const found = (await listRoutes(env)).find((route) => route.carrier === carrier && route.prefix === prefix);
  return found && { priority: found.priority, weight: found.weight };
}

const aboutProviderRoute = (id: string) => ({ accountId: null, subject: { type: 'provider_routes', id } });

const keyOf = ({ deliveryMethod, prefix }: Pick<SavedProviderRoute, 'deliveryMethod' | 'prefix'>) => ({
  delivery_method: deliveryMethod,
  prefix,
});

async function providerRouteById({ db }: Environment, id: string) {
  const row = await db
    .selectFrom('verification_routes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noRoute();
  return row;
}

async function namedProviderRoute(env: Environment, route: ProviderRoute) {
  const { id: providerId } = await lockProvider(env, route.provider);
  const row = await providerRouteOf(env, { ...route, providerId });
  if (row === undefined) throw noRoute();
  return row;
}

function providerRouteOf(
  { db }: Environment,
  { deliveryMethod, prefix, providerId }: Omit<ProviderRoute, 'provider'> & { providerId: string },
) {
  return db
    .selectFrom('verification_routes')
    .selectAll()
    .where('delivery_method', '=', deliveryMethod)
    .where('prefix', '=', prefix)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
}
