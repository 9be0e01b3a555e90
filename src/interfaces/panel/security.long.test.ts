/**
 * Every route of the server, as its router tells them: who may write, what no other page can cause, and what a session
 * of somebody else reaches.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { addressOf, type ServedRoute, servedRoutes } from '../../../test/support/served-routes.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { AccountRole } from '../../engines/db/tables/accounts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator } from '../operator/operators.writes.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '100' } }));

/** Interfaces that take a session. */
const ofSessions = /^\/(v3|sandbox\/v1|panel\/v1|operator\/v1)\//;
const isRead = ({ method }: ServedRoute) => method === 'GET';
const isWrite = ({ method }: ServedRoute) => ['POST', 'PATCH', 'PUT', 'DELETE'].includes(method);
/** Takes events of the sandbox's guided start, and no session. */
const sink = '/panel/v1/event_receiver';

let routes: ServedRoute[] = [];
const owner = () => signedIn(login);

/** What is read below a record has the context of the record itself. */
const isBelow = /\/:id\//;

beforeAll(() => {
  routes = servedRoutes(server.app).filter(
    (route) =>
      ofSessions.test(route.pattern) &&
      route.pattern !== sink &&
      (isWrite(route) || (isRead(route) && !isBelow.test(route.pattern))),
  );
  expect(routes.filter(isWrite).length).toBeGreaterThan(150);
  expect(routes.filter(isRead).length).toBeGreaterThan(150);
});

async function signedIn(credentials: { email: string; password: string }): Promise<PanelClient> {
  const client = new PanelClient(server.url);
  expect((await client.signIn(credentials)).status).toBe(201);
  // Else acts that change a login would be refused for another reason than the role.
  await client.post('/panel/v1/login/confirm', { password: credentials.password });
  return client;
}

let made = 0;

async function operator(role: OperatorRole): Promise<PanelClient> {
  made += 1;
  const credentials = { email: `${role}-${made}@operator.test`, password: 'an operator password' };
  await createOperator(byBootstrap(server.env), { ...credentials, role });
  return signedIn(credentials);
}

/** Routes with plain JSON. */
const plain = /^\/(sandbox\/v1|panel\/v1\/(session|login|acting))(\/|$)/;

/** Sends nothing that could be accepted, so that a route which lets it through answers with another error. */
function ask(client: PanelClient, route: ServedRoute, headers: Record<string, string> = {}) {
  const body = isRead(route) ? undefined : plain.test(route.pattern) ? {} : { data: {} };
  return client.send(route.method, addressOf(route), body, headers);
}

/** The routes whose response is none of these, with it. */
async function exceptions(
  client: PanelClient,
  asked: readonly ServedRoute[],
  expected: (route: ServedRoute) => readonly number[],
  headers?: Record<string, string>,
): Promise<string[]> {
  const found: string[] = [];
  for (const route of asked) {
    const { status } = await ask(client, route, headers);
    if (!expected(route).includes(status)) found.push(`${route.method} ${route.pattern}: ${status}`);
  }
  return found;
}

const statusesBut = (...left: readonly number[]) =>
  [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429].filter((status) => !left.includes(status));

describe('a request that another page makes with the cookie', () => {
  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another port of this host', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['from an old browser, with its origin', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
  ])('%s writes and reads nothing, anywhere', async (_where, headers) => {
    const [customer, staff] = [await owner(), await operator('owner')];
    const refused = () => [401, 403];
    const ofStaff = ({ pattern }: ServedRoute) => pattern.startsWith('/operator/');
    const asked = routes.filter((route) => !isRead(route) || !openReads.test(route.pattern));
    expect(
      await exceptions(
        customer,
        asked.filter((route) => !ofStaff(route)),
        refused,
        headers,
      ),
    ).toEqual([]);
    expect(await exceptions(staff, asked.filter(ofStaff), refused, headers)).toEqual([]);
  });

  test('without the header that no form can send writes nothing, anywhere', async () => {
    const { cookie } = await owner();
    const found: string[] = [];
    for (const route of routes.filter(isWrite)) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const headers = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' };
        const { status } = await fetch(`${server.url}${addressOf(route)}`, {
          method: route.method,
          headers,
          body: '{"data":{}}',
        });
        if (status < 400) found.push(`${route.method} ${route.pattern} as ${type}: ${status}`);
      }
    }
    expect(found).toEqual([]);
  });
});

/** What everybody may read, without a key. */
const openReads = /^\/v3\/(public_keys|storage)|^\/sandbox\/v1\/scenarios|^\/panel\/v1\/login\/forgotten/;

test('nobody reads or writes without a session', async () => {
  const nobody = new PanelClient(server.url);
  // Signing in, and setting a password by a link, are for those who have no session; what they send is wrong.
  const signsIn = /^\/panel\/v1\/(session(\/.*)?|login\/(set|forgotten|email\/confirm))$/;
  const asked = routes.filter(
    (route) => !openReads.test(route.pattern) || (signsIn.test(route.pattern) && !isRead(route)),
  );
  const expected = (route: ServedRoute) =>
    signsIn.test(route.pattern) && !isRead(route) ? [200, 204, 400, 401] : [401];
  expect(await exceptions(nobody, asked, expected)).toEqual([]);
});

/** Who may write what; everything else is for owners and developers. */
const purchases =
  /^\/(panel\/v1\/account_settings|v3\/(orders|did_reservations|identities|addresses|proofs|encrypted_files|permanent_supporting_documents|address_verifications|(?:address_)?requirement_validations|emergency_requirement_validations))(\/|$)/;
/** Who the account is on its bills is not for developers. */
const bills = /^\/panel\/v1\/billing_profiles(\/|$)/;
const ownLogin = /^\/panel\/v1\/(session|sessions|login|passkeys)(\/|$)/;
const staffOnly = /^\/panel\/v1\/(acting|login\/links)$/;

function mayWrite(role: AccountRole, pattern: string): boolean {
  if (staffOnly.test(pattern)) return false;
  if (ownLogin.test(pattern) || role === 'owner') return true;
  if (/^\/panel\/v1\/members(\/|$)/.test(pattern)) return false;
  if (bills.test(pattern)) return role === 'billing';
  return role === 'developer' || (role === 'billing' && purchases.test(pattern));
}

async function member(role: AccountRole): Promise<PanelClient> {
  const email = `${role}@acme.test`;
  const password = 'the member password';
  const invited = await (await owner()).post('/panel/v1/members', {
    data: { type: 'members', attributes: { email, role } },
  });
  const token = String(invited.resource.attributes.invitation).split('#')[1];
  await new PanelClient(server.url).post('/panel/v1/login/set', { token, password });
  return signedIn({ email, password });
}

describe.each(['owner', 'developer', 'billing', 'read-only'] as const)('a member who is %s', (role) => {
  test('writes what the role may, reads everything, and nothing of operators', async () => {
    const client = await member(role);
    // Signing in and out would change whose session it is, and a stream of events does not end.
    const asked = routes.filter(
      (route) =>
        !/^\/panel\/v1\/(session|events|acting)(\/|$)/.test(route.pattern) &&
        !(isRead(route) && route.pattern.includes(':')),
    );
    const expected = (route: ServedRoute): readonly number[] => {
      if (route.pattern.startsWith('/operator/')) return [401];
      if (isRead(route) || mayWrite(role, route.pattern)) return statusesBut(401, 403);
      return [403];
    };
    expect(await exceptions(client, asked, expected)).toEqual([]);
    expect((await client.get('/panel/v1/session')).body).toMatchObject({ role });
    expect((await client.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' })).status).toBe(
      403,
    );
  });
});

describe.each(['owner', 'support', 'finance', 'reviewer', 'read-only'] as const)('an operator who is %s', (role) => {
  test('has no account of a customer unless acting, and acts with what comes nearest to the role', async () => {
    const staff = await operator(role);
    const types = routes.filter(
      ({ pattern }) =>
        /^\/(v3|panel\/v1)\//.test(pattern) &&
        !openReads.test(pattern) &&
        !/^\/panel\/v1\/(session|sessions|login|events|acting)(\/|$)/.test(pattern),
    );
    expect(await exceptions(staff, types, () => [401, 403])).toEqual([]);
    expect((await staff.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' })).status).toBe(
      200,
    );
    const nearest = { owner: 'owner', support: 'owner', finance: 'billing' } as const;
    const acted: AccountRole = role === 'reviewer' || role === 'read-only' ? 'read-only' : nearest[role];
    const expected = (route: ServedRoute) =>
      isRead(route) || mayWrite(acted, route.pattern) ? statusesBut(401, 403) : [403];
    expect(await exceptions(staff, types, expected)).toEqual([]);
  });
});
