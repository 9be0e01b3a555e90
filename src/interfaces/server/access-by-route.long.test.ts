/**
 * Walks every route that is served, as every role, scope and kind of key, with its address written in several ways: who
 * may do what is decided by the route, and a route that no rule names fails here.
 */
import Fastify from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { type Rule, ruleOf } from '../../../test/support/route-rules.ts';
import { addressOf, type ServedRoute, servedRoutes } from '../../../test/support/served-routes.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { spellings, useSpelledRequests } from '../../../test/support/spelled-requests.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import { keyScopes } from '../../business/accounts/key-scopes.ts';
import { memberRoleTexts } from '../../business/accounts/member-roles.ts';
import { openSession } from '../../business/accounts/sessions.ts';
import type { AccountRole } from '../../engines/db/tables/accounts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { roleNames } from '../operator/roles.ts';
import { worldPath } from '../worlds/world-path.ts';
import { createHttpServer } from './http-server.ts';
import { worldRooms } from './rooms.ts';

const server = useOpened(() => startTestServer({ worlds: true }));
const statusOf = useSpelledRequests(server);

/** A world's rooms, on the same database. */
const inWorld = worldPath('0123456789abcdef');
const world = useOpened(async () => {
  const app = await createHttpServer({ ...server.env, path: inWorld }, { rooms: worldRooms(taskHandlers) });
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
});
const statusInWorld = useSpelledRequests(world);

interface Walked {
  route: ServedRoute;
  rule: Rule;
}

let walked: Walked[] = [];
let worldRoutes: ReadonlySet<string>;
const of = (...names: (Rule['interface'] | undefined)[]) => walked.filter(({ rule }) => names.includes(rule.interface));

beforeAll(() => {
  walked = servedRoutes(server.app).flatMap((route) => {
    const rule = ruleOf(route);
    // The first request for keys makes them, which takes long. What GET reads, HEAD reads.
    const isLeftOut = route.pattern.startsWith('/v3/public_keys') || route.method === 'HEAD';
    return rule === null || isLeftOut ? [] : [{ route, rule }];
  });
  worldRoutes = new Set(servedRoutes(world.app).map(({ method, pattern }) => `${method} ${pattern}`));
});

/** A body that nobody can read: what is admitted ends there. */
function requestOf({ route, rule }: Walked, sent: Record<string, string>, spell: (path: string) => string) {
  const version = route.pattern.startsWith('/v3/') ? route.version : undefined;
  const headers = version === undefined ? sent : { ...sent, 'x-service-api-version': version };
  const path = spell(addressOf(route));
  const isPlain = rule.reads || route.method === 'DELETE';
  const body = isPlain ? {} : { body: '{', headers: { ...headers, 'content-type': 'application/json' } };
  return { method: route.method, path, headers, ...body };
}

interface Asked {
  headers?: Record<string, string>;
  spell?: (path: string) => string;
  /** The status of a refusal. */
  refusal?: 401 | 403;
  send?: typeof statusOf;
}

/** The routes that refuse, or do not refuse, other callers than their rule says. */
async function exceptions(
  asked: readonly Walked[],
  isAllowed: (rule: Rule) => boolean,
  { headers = {}, spell = (path) => path, refusal = 403, send = statusOf }: Asked,
): Promise<string[]> {
  const found: string[] = [];
  const left = [...asked];
  const ask = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      const status = await send(requestOf(each, headers, spell));
      if ((status === refusal) === isAllowed(each.rule)) {
        found.push(`${each.route.method} ${each.route.pattern}: ${status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, ask));
  return found;
}

test('every route is named by a rule, here and in worlds', () => {
  const unnamed = (app: typeof server.app) => servedRoutes(app).filter((route) => ruleOf(route) === null);
  expect([unnamed(server.app), unnamed(world.app)]).toEqual([[], []]);
  const count = (name: Rule['interface']) => of(name).length;
  expect(count('v3')).toBeGreaterThan(280);
  expect(count('panel/v1')).toBeGreaterThan(80);
  expect(count('operator/v1')).toBeGreaterThan(220);
  expect(count('sandbox/v1')).toBeGreaterThan(20);
  expect(count('api/v1')).toBeGreaterThan(3);
});

test.each(['/v3', '/panel/v1', '/panel/v1/login', '/operator/v1', '/sandbox/v1', '/api/v1', ''])(
  'a route that is added at %s without a rule is found',
  async (prefix) => {
    const app = Fastify();
    app.post(`${prefix}/forgotten_by_every_table`, async () => '');
    await app.ready();
    expect(servedRoutes(app).map(ruleOf)).toEqual([null]);
  },
);

const fromPanel = { 'x-trunkline-panel': '1', 'sec-fetch-site': 'same-origin' };
const roles = Object.keys(memberRoleTexts) as AccountRole[];

const cookies = useMade(async () => {
  const opened: Partial<Record<AccountRole, string>> = {};
  for (const role of roles) {
    const { id } = await server.env.db
      .insertInto('account_members')
      .values({ account_id: server.accountId, email: `${role}@a.test`, role, created_at: server.clock.now() })
      .returning('id')
      .executeTakeFirstOrThrow();
    const person = { kind: 'member', id, accountId: server.accountId } as const;
    opened[role] = await openSession(server.env, { person, ip: '127.0.0.1', userAgent: '' });
  }
  return opened as Record<AccountRole, string>;
});

const bySession = () => of('v3', 'panel/v1', 'sandbox/v1').filter(({ rule }) => rule.members !== null);
const nobody = () => false;

async function asMember(role: AccountRole, spell: (path: string) => string): Promise<string[]> {
  const headers = { ...fromPanel, cookie: `trunkline_sandbox_session=${cookies[role]}` };
  return [
    ...(await exceptions(bySession(), ({ members }) => members?.includes(role) === true, { headers, spell })),
    ...(await exceptions(of('operator/v1'), nobody, { headers, spell, refusal: 401 })),
  ];
}

async function asKey(scope: string, spell: (path: string) => string): Promise<string[]> {
  const { key } = await createApiKey(server.env, server.accountId, { name: scope, scopes: [scope] });
  const isAllowed = ({ areas, reads }: Rule) =>
    areas !== null &&
    areas !== 'everything' &&
    areas.every((area) => scope === area || (reads && scope === `${area}:read`));
  return exceptions(of('v3', 'sandbox/v1'), isAllowed, { headers: { 'api-key': key }, spell });
}

async function asOperator(role: OperatorRole, spell: (path: string) => string): Promise<string[]> {
  const { key } = await addOperator(server, role);
  const isAllowed = ({ operators }: Rule) => operators?.includes(role) === true;
  return exceptions(of('operator/v1'), isAllowed, { headers: { 'api-key': key }, spell });
}

describe.each(Object.entries(spellings))('the path %s', (_, spell) => {
  test.each(roles)('asked by the session of a member who is %s', async (role) => {
    expect(await asMember(role, spell)).toEqual([]);
  });

  test.each(['numbers:read', 'sandbox'])('asked by a key with the scope %s', async (scope) => {
    expect(await asKey(scope, spell)).toEqual([]);
  });

  test.each(['support', 'read-only'] as const)('asked by the key of an operator who is %s', async (role) => {
    expect(await asOperator(role, spell)).toEqual([]);
  });

  test('asked with keys of another kind, or none', async () => {
    const operator = await addOperator(server);
    const asked = { spell, refusal: 401 } as const;
    const [none, own, staff] = [{}, { 'api-key': server.key }, { 'api-key': operator.key }];
    const ofPeople = [...of('panel/v1').filter(({ rule }) => rule.members !== null), ...of('operator/v1')];
    const ofKeys = of('v3', 'sandbox/v1');
    for (const headers of [none, own]) expect(await exceptions(ofPeople, nobody, { ...asked, headers })).toEqual([]);
    for (const headers of [none, staff]) expect(await exceptions(ofKeys, nobody, { ...asked, headers })).toEqual([]);
    for (const headers of [none, own, staff])
      expect(await exceptions(of('api/v1'), nobody, { ...asked, headers })).toEqual([]);
  });
});

// However an address is written, it leads to one route: one spelling is enough for the rest.
const asUsual = (path: string) => path;

test.each(keyScopes)('a key with the scope %s', async (scope) => {
  expect(await asKey(scope, asUsual)).toEqual([]);
});

test.each(roleNames)('an operator who is %s', async (role) => {
  expect(await asOperator(role, asUsual)).toEqual([]);
});

/** The address of a world is read as it is written. */
const inside = Object.entries(spellings).filter(([name]) => name !== 'in absolute form');

test.each(inside)('a key with a scope reaches no more within a world, with the path %s', async (_, spell) => {
  const { key } = await createApiKey(server.env, server.accountId, { name: 'w', scopes: ['sandbox'] });
  const isAllowed = ({ areas }: Rule) => areas !== 'everything' && areas?.every((area) => area === 'sandbox') === true;
  const there = of('v3', 'sandbox/v1').filter(({ route }) => worldRoutes.has(`${route.method} ${route.pattern}`));
  expect(there.length).toBeGreaterThan(150);
  const asked = {
    headers: { 'api-key': key },
    spell: (path: string) => `${inWorld}${spell(path)}`,
    send: statusInWorld,
  };
  expect(await exceptions(there, isAllowed, asked)).toEqual([]);
});
