/** What a caller may do with the types of `/v3`: by the scopes of its key, or by the role of the person. */
import type { Caller } from '../../../business/accounts/caller.ts';
import { type KeyArea, mayUse } from '../../../business/accounts/key-scopes.ts';
import { RoleForbids, requireMemberRole, type Subject } from '../../../business/accounts/member-roles.ts';
import type { ReachedRoute } from '../../../engines/jsonapi/engine.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import type { Access, EngineContext } from '../../../engines/jsonapi/resource.ts';
import { typeNamesOf } from './registries.ts';
import { resources } from './resources.ts';

/** The area of a key's scopes that each group of types belongs to. A type of another group is out of every scope. */
const areas: Readonly<Record<string, KeyArea>> = {
  Coverage: 'coverage',
  'DID groups': 'coverage',
  DIDs: 'numbers',
  Orders: 'orders',
  'DID reservations': 'orders',
  'Inbound trunks': 'voice',
  'Outbound trunks': 'voice',
  Capacity: 'voice',
  Regulation: 'regulation',
  'Address verifications': 'regulation',
  Emergency: 'regulation',
  Account: 'account',
};

export const areaOfType: ReadonlyMap<string, KeyArea> = new Map(
  resources.flatMap(({ type, group }) => {
    const area = areas[group ?? ''];
    return area === undefined ? [] : [[type, area] as const];
  }),
);

/** What a route of `/v3` is about; null without a route. */
export const subjectOf = (route: ReachedRoute | null): Subject | null =>
  route && { interface: 'v3', type: route.type, reads: route.access === 'read' };

/**
 * Nothing is asked of a key without scopes, and it sees secrets; one with scopes sees them if a scope says so. In the
 * panel nobody sees them without asking for one (`src/interfaces/panel/secrets.ts`).
 */
export function accessOf(
  caller: Caller | null,
  version: string,
): Pick<EngineContext, 'requireAccess' | 'hidesSecrets'> {
  if (caller === null || (caller.scopes === null && caller.actor.kind === 'api_key')) return {};
  // Types are asked for by their names in the version, or by the newest ones: what counts is the type.
  const names = typeNamesOf(version);
  if (caller.scopes) {
    return {
      requireAccess: (type, access) => requireScope(caller, names.newest(type), access, names.own),
      hidesSecrets: !mayUse(caller, 'secrets', true),
    };
  }
  return {
    requireAccess: (type, access) => requireRole(caller, names.newest(type), isReading(access)),
    hidesSecrets: true,
  };
}

const isReading = (access: Access | 'name'): boolean => access === 'read' || access === 'name';

/**
 * What every account sees alike, and its pools of channels, of which each has the same: their ids are no secret, and a
 * key that may order may say what it buys.
 */
const namedFreely: ReadonlySet<string> = new Set([
  ...resources.filter(({ scope }) => scope !== 'account').map(({ type }) => type),
  'capacity_pools',
]);

/** Naming a record of the account itself needs as much as reading it. */
function requireScope(caller: Caller, type: string, access: Access | 'name', nameOf: (type: string) => string): void {
  if (access === 'name' && namedFreely.has(type)) return;
  const reads = isReading(access);
  const area = areaOfType.get(type);
  if (area !== undefined && mayUse(caller, area, reads)) return;
  throw new ApiError([errors.forbidden(`The API key has no scope to ${reads ? 'read' : 'write'} ${nameOf(type)}.`)]);
}

function requireRole({ role }: Caller, type: string, reads: boolean): void {
  try {
    requireMemberRole(role, { interface: 'v3', type, reads });
  } catch (error) {
    throw error instanceof RoleForbids ? new ApiError([errors.forbidden(error.message)]) : error;
  }
}
