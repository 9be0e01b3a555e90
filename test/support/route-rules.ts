/**
 * The rule of access that each served route falls under. It is worked out from the route's address and the tables that
 * the server decides by, not from what a route says of itself, so that a test finds the routes that no rule names.
 */
import {
  type MemberInterface,
  rolesFor as memberRolesFor,
  type Subject,
} from '../../src/business/accounts/member-roles.ts';
import type { AccountRole } from '../../src/engines/db/tables/accounts.ts';
import type { OperatorRole } from '../../src/engines/db/tables/operators.ts';
import { targetsOf } from '../../src/engines/jsonapi/declare.ts';
import { newestOf } from '../../src/engines/jsonapi/older-form.ts';
import type { Access, Resource } from '../../src/engines/jsonapi/resource.ts';
import { registry as operatorRegistry } from '../../src/interfaces/operator/resources.ts';
import { rolesFor as operatorRolesFor } from '../../src/interfaces/operator/roles.ts';
import { plainAccess } from '../../src/interfaces/panel/plain-access.ts';
import { panelRegistry } from '../../src/interfaces/panel/resources.ts';
import { operatorPaths, panelPaths } from '../../src/interfaces/panel/web-files.ts';
import { areaOfType } from '../../src/interfaces/platform/v3/access.ts';
import { older, registry } from '../../src/interfaces/platform/v3/registries.ts';
import { reaches } from '../../src/interfaces/sandbox/access.ts';
import type { ServedRoute } from './served-routes.ts';

type Interface = MemberInterface | 'operator/v1' | 'api/v1';

export interface Rule {
  /** Null for a page, which everybody may read. */
  interface: Interface | null;
  /** People of an account, by role; null where a session is not asked for, or that of a person of another kind. */
  members: readonly AccountRole[] | null;
  operators: readonly OperatorRole[] | null;
  /** What a key with scopes needs; null where keys are not taken. */
  areas: readonly string[] | 'everything' | null;
  reads: boolean;
}

const none = { members: null, operators: null, areas: null } as const;

const pages = new Set([
  '',
  '/*',
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/postman.json', '/llms.txt', '/storage/public/:key'],
  ...['', '/operator'].flatMap((base) => [
    ...['/docs', '/docs/search.json', '/docs/guides/:name', '/docs/reference/:name'].map((page) => `${base}${page}`),
    `${base}/docs/assets/:version/:name`,
  ]),
  ...['/assets', '/operator', '/operator/openapi.json'],
  // Providers prove who they are by a secret of their own.
  '/providers/:name/receipts',
  // Whoever gets a signed call fetches the certificates; they are public.
  '/stir/:file',
  // Anyone may open a WebSocket; each SIP request on it is asked for credentials.
  '/sip',
  ...[...panelPaths, ...operatorPaths].map((path) => `/${path}`),
]);

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The rule of a route, or null if none names it. */
export function ruleOf(route: ServedRoute): Rule | null {
  const { method, pattern } = route;
  const { name, rest } = /^\/(?<name>v3|(?:api|panel|operator|sandbox)\/v1)\/(?<rest>.+)$/.exec(pattern)?.groups ?? {};
  const reads = isRead(method);
  // The engine has one route for all declared types, which are routes of their own here.
  if (name === undefined || rest === undefined || rest === '*' || method === 'OPTIONS') {
    const isPage = pages.has(pattern === '/*' ? pattern : pattern.replace(/[/*]+$/, '')) || rest === '*';
    return isPage || method === 'OPTIONS' ? { interface: null, reads, ...none } : null;
  }
  if (name === 'api/v1') return /^verifications(\/|$)/.test(rest) ? { interface: name, reads, ...none } : null;
  const [word = '', ...below] = rest.split('/');
  if (name === 'operator/v1') return operatorRule(route, word.split('.')[0] ?? '', below);
  if (Object.hasOwn(plainAccess, `${method === 'HEAD' ? 'GET' : method} ${pattern}`)) {
    return { interface: 'panel/v1', reads, ...none };
  }
  const resource = resourceAt(name === 'v3' ? everyVersion : panelRegistry.all(), word, below);
  const type = resource ? newestOf(resource).type : (word.split('.')[0] ?? '');
  const subject: Subject = { interface: name as MemberInterface, type, reads };
  const members = memberRolesFor(subject);
  if (members === null) return null;
  if (name === 'panel/v1') return { ...none, interface: name, members, reads };
  if (name === 'sandbox/v1') {
    const areas = reaches[type];
    const all = areas === 'everything' ? areas : areas && ['sandbox', ...areas];
    return all === undefined ? null : { ...none, interface: name, members, areas: all, reads };
  }
  const types = [type, ...(reads && resource ? targetsBelow(resource, below) : [])];
  const areas = types.flatMap((each) => areaOfType.get(each) ?? []);
  return areas.length < types.length ? null : { ...none, interface: 'v3', members, areas, reads };
}

/** The types of every version, the newest first. */
const everyVersion = [...registry.all(), ...[...older.values()].flatMap((types) => types.all())];
const newestNames = new Map(everyVersion.map((resource) => [resource.type, newestOf(resource).type]));

/** A relationship may have its name in one version only. */
function resourceAt(all: readonly Resource[], word: string, below: readonly string[] = []): Resource | undefined {
  const here = all.filter(({ path }) => path === `/${word}`);
  return here.find(({ relationships }) => Object.hasOwn(relationships, below.at(-1) ?? '')) ?? here[0];
}

/** What `/{type}/{id}/{relationship}` and its linkage show. */
function targetsBelow({ relationships }: Resource, below: readonly string[]): readonly string[] {
  const word = below.at(-1) ?? '';
  const relationship = relationships[word];
  if (below.length < 2 || relationship === undefined) return [];
  return targetsOf(relationship).map((type) => newestNames.get(type) ?? type);
}

/**
 * The routes of `/operator/v1` that are named after what they show, and are about another type, or do another thing.
 */
const otherTypes: Readonly<Record<string, string>> = {
  outbound_routing: 'routing',
  prices: 'price_lists',
  invoice_previews: 'invoices',
};
const otherAccess: Readonly<Record<string, Access>> = { 'PUT /operator/v1/catalogue_imports/:id/content': 'create' };

const accessOf: Readonly<Record<string, Access>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

function operatorRule({ method, pattern }: ServedRoute, word: string, below: readonly string[]): Rule | null {
  const resource = resourceAt(operatorRegistry.all(), word);
  const isLinkage = below.includes('relationships') && !isRead(method);
  const access = otherAccess[`${method} ${pattern}`] ?? (isLinkage ? 'update' : (accessOf[method] ?? 'read'));
  const types = [resource?.type ?? otherTypes[word] ?? word];
  if (access === 'read' && resource) types.push(...targetsBelow(resource, below));
  const roles = types.map((type, n) => operatorRolesFor(type, n === 0 ? access : 'read'));
  if (roles.some(({ length }) => length === 0)) return null;
  const operators = (roles[0] ?? []).filter((role) => roles.every((each) => each.includes(role)));
  return { ...none, interface: 'operator/v1', operators, reads: access === 'read' };
}
