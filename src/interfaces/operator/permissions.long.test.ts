/**
 * Walks every operation of /operator/v1: role by role allowed or 403, an audit entry for every write, foreign keys
 * refused.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { chargePeriod } from '../../business/billing/charge-period.ts';
import { free, parseAmount } from '../../business/money/decimal.ts';
import { fund } from '../../business/money/ledger.ts';
import { setCallerName } from '../../business/voice/names/listed-names.ts';
import { setPrefixRisk, setRiskLimit } from '../../business/voice/risks.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { readsOf } from '../../engines/jsonapi/access.ts';
import { targetsOf } from '../../engines/jsonapi/declare.ts';
import type { Operation } from '../../engines/jsonapi/resource.ts';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { setRate } from '../verification/prices.ts';
import { closeAccount } from './accounts.writes.ts';
import { byBootstrap } from './act.ts';
import { decideOnPrefix } from './conversion/prefix-blocks.writes.ts';
import { requestImport } from './inventory/catalogue-imports.writes.ts';
import { operatorDocument } from './openapi.ts';
import { writeNote } from './overview/account-notes.ts';
import { addCarrier } from './peers/carriers.writes.ts';
import { addProvider } from './peers/providers.writes.ts';
import { setCarrierRoute, setProviderRoute } from './peers/routes.writes.ts';
import { addSigningCertificate } from './peers/signing-certificates.writes.ts';
import { addPriceAdjustment } from './pricing/price-adjustments.ts';
import { importPriceList } from './pricing/price-lists.writes.ts';
import { registry } from './resources.ts';
import { type OperatorType, permissions, roleNames, rolesFor } from './roles.ts';
import { addPriceRule, addSupplier } from './suppliers/suppliers.writes.ts';

const server = useOpened(() => startTestServer());
const production = useOpened(() => startTestServer({ name: 'production' }));

const noRecord = '00000000-0000-4000-8000-000000000000';

let count = 0;
const unique = (word: string) => `${word} ${++count}`;

const entriesSince = async (id: number) =>
  (await server.env.db.selectFrom('audit_log').selectAll().where('id', '>', id).orderBy('id').execute()) as {
    id: number;
    actor: string;
    source: string | null;
  }[];
const lastEntry = async () => {
  const { rows } = await server.env.pool.query('select coalesce(max(id), 0)::int as id from audit_log');
  return Number(rows[0].id);
};

const linkTo = (type: string, id: string) => ({ data: { type, id } });

const walked = defineTask('test.walked', { priority: 'background' });

async function jobThatGaveUp(): Promise<string> {
  await server.env.jobs.add(server.env.db, walked, {}, { key: unique('job') });
  const { rows } = await server.env.pool.query(
    `update jobs set attempts = max_attempts
     where id = (select max(id) from jobs) returning to_hex(id) as id`,
  );
  return `00000000-0000-4000-8000-${rows[0].id.padStart(12, '0')}`;
}

/** An order of 2.0 that is paid from the balance. */
async function chargedOrder(accountId: string, at = server.clock.now().toISOString()): Promise<string> {
  const price = { net: parseAmount('2'), vat: 0n, vatRate: '0.000' };
  const [setup, monthly] = [price, free('0.000')];
  const item = { type: 'generic_order_items', qty: 1, setup, monthly, billed_from: null, billed_to: null } as const;
  const order = { kind: 'generic', description: unique('walked') } as const;
  const period = {
    accountId,
    at: new Date(at),
    cause: 'renewal',
    reference: randomUUID(),
    occasion: 'walk',
    order,
    item,
  };
  await fund(server.env.db, { accountId, at: period.at, cause: 'top_up', reference: randomUUID() }, parseAmount('2'));
  return (await chargePeriod(server.env.db, { ...period, cause: 'renewal' })).orderId;
}

async function addDelivery(): Promise<string> {
  const { env, accountId } = server;
  const [url, at] = ['http://127.0.0.1:9/', env.clock.now()];
  const row = { account_id: accountId, kind: 'orders', url, method: 'post', payload: '{}', created_at: at } as const;
  return (await env.db.insertInto('deliveries').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

const boot = () => byBootstrap(server.env);
const walkedCarrier = () => addCarrier(boot(), { name: unique('carrier') });
const walkedProvider = () =>
  addProvider(boot(), { name: `p-${++count}`, kind: 'http', settings: { url: 'https://sms.test/' } });
const walkedProviderRoute = async () =>
  setProviderRoute(boot(), { deliveryMethod: 'sms', prefix: '1', provider: { id: await walkedProvider() } }, 10);
async function walkedCarrierRoute(): Promise<string> {
  const id = await walkedCarrier();
  await setCarrierRoute(boot(), { carrier: { id }, prefix: '1' }, {});
  const { rows } = await server.env.pool.query(
    `select md5(carrier_id::text || ' ' || prefix)::uuid as id from carrier_routes where carrier_id = $1`,
    [id],
  );
  return rows[0].id;
}

async function adjustedPrice(): Promise<string> {
  const { accountId } = await server.addAccount({ name: unique('Adjusted') });
  return addPriceAdjustment(byBootstrap(server.env), accountId, 'number_monthly', { percent: '-5' });
}

async function walkedPrefix(): Promise<string> {
  const prefix = String(5_700_000 + ++count);
  await setPrefixRisk(server.env, { prefix, risk: 'high' });
  const row = server.env.db.selectFrom('destination_risks').select('id').where('prefix', '=', prefix);
  return (await row.executeTakeFirstOrThrow()).id;
}
async function walkedName(): Promise<string> {
  const number = String(5_900_000 + ++count);
  await setCallerName(server.env, number, 'Walker');
  const row = server.env.db.selectFrom('caller_names').select('id').where('number', '=', number);
  return (await row.executeTakeFirstOrThrow()).id;
}
async function walkedLimit(): Promise<string> {
  const { accountId } = await server.addAccount({ name: unique('Limited') });
  await setRiskLimit(server.env, { risk: 'high', limit: '5', accountId });
  const row = server.env.db.selectFrom('risk_limits').select('id').where('account_id', '=', accountId);
  return (await row.executeTakeFirstOrThrow()).id;
}
async function walkedRate(): Promise<string> {
  const prefix = String(5_500_000 + ++count);
  await setRate(server.env, { per: 'message', deliveryMethod: 'sms', prefix, amount: '0.01' });
  const { rows } = await server.env.pool.query(`select md5('message sms ' || $1::text)::uuid as id`, [prefix]);
  return rows[0].id;
}

const authority = testAuthority();
const signer = authority.issue({ name: 'Walker' });
const certificate = { chain: signer.pem + authority.pem, url: 'https://certs.test/walk.pem' };
const walkedCertificate = () =>
  addSigningCertificate(boot(), {
    ...{ ...certificate, name: unique('certificate'), privateKey: signer.keyPem, enabled: false },
  });

const plannedPrices = () =>
  importPriceList(byBootstrap(server.env), {
    ...{ kind: 'termination', csv: 'prefix,per_minute\n44,0.01', dryRun: false, accountId: null, carrierId: null },
    validFrom: new Date(server.clock.now().getTime() + 86_400_000),
  });

const walkedSupplier = () =>
  addSupplier(boot(), {
    ...{ name: unique('Walked supplier'), url: 'http://127.0.0.1:9/v3', apiKey: 'k', countries: ['GB'] },
    markupPercent: '0',
  });

/** A valid request for every writing operation; the walk fails where one is missing. */
const writes: Readonly<Record<string, () => Promise<{ id?: string; attributes?: object; relationships?: object }>>> = {
  'create accounts': async () => ({ attributes: { name: unique('Account of a walk') } }),
  'update accounts': async () => {
    const { accountId } = await server.addAccount({ name: unique('Walked') });
    return { id: accountId, attributes: { read_only: true } };
  },
  'update billing_profiles': async () => {
    const { accountId } = await server.addAccount({ name: unique('Billed') });
    const address = { street: 'Weg 1', city: 'Berlin', country: 'DE' };
    return { id: accountId, attributes: { kind: 'person', name: 'A Person', ...address } };
  },
  'create adjustments': async () => ({
    attributes: { kind: 'credit', amount: '1.5', reason: 'goodwill' },
    relationships: { account: linkTo('accounts', server.accountId) },
  }),
  'create bulk_actions': async () => ({ attributes: { subject: 'jobs', action: 'retry', reason: 'a walk' } }),
  'update jobs': async () => ({ id: await jobThatGaveUp(), attributes: { retry: true, reason: 'a walk' } }),
  'delete jobs': async () => ({ id: await jobThatGaveUp() }),
  'update deliveries': async () => ({ id: await addDelivery(), attributes: { retry: true } }),
  'delete deliveries': async () => ({ id: await addDelivery() }),
  'create refunds': async () => ({
    attributes: { reason: 'a walk' },
    relationships: { order: linkTo('orders', await chargedOrder(server.accountId)) },
  }),
  'create invoices': async () => {
    const { accountId } = await server.addAccount({ name: unique('Invoiced'), balance: '10' });
    await chargedOrder(accountId, '2026-05-03T00:00:00Z');
    return { attributes: { month: '2026-05' }, relationships: { account: linkTo('accounts', accountId) } };
  },
  'create price_lists': async () => ({
    attributes: { kind: 'termination', csv: 'prefix,per_minute\n44,0.01', dry_run: true, reason: 'a walk' },
  }),
  'update price_lists': async () => ({ id: await plannedPrices(), attributes: { withdrawn: true, reason: 'a walk' } }),
  'create price_adjustments': async () => ({
    attributes: { product: 'termination', percent: '-10' },
    relationships: { account: linkTo('accounts', (await server.addAccount({ name: unique('Adjusted') })).accountId) },
  }),
  'update price_adjustments': async () => ({ id: await adjustedPrice(), attributes: { fixed: '1.5' } }),
  'delete price_adjustments': async () => ({ id: await adjustedPrice() }),
  'create caller_names': async () => ({
    attributes: { number: String(5_800_000 + ++count), name: 'Walker', reason: 'a walk' },
  }),
  'update caller_names': async () => ({ id: await walkedName(), attributes: { name: 'Runner' } }),
  'delete caller_names': async () => ({ id: await walkedName() }),
  'create destination_risks': async () => ({
    attributes: { prefix: String(5_600_000 + ++count), risk: 'high', note: 'a walk', reason: 'a walk' },
  }),
  'update destination_risks': async () => ({ id: await walkedPrefix(), attributes: { risk: 'elevated' } }),
  'delete destination_risks': async () => ({ id: await walkedPrefix() }),
  'create risk_limits': async () => ({
    attributes: { risk: 'high', daily_limit: '5.0', reason: 'a walk' },
    relationships: { account: linkTo('accounts', (await server.addAccount({ name: unique('Limited') })).accountId) },
  }),
  'update risk_limits': async () => ({ id: await walkedLimit(), attributes: { daily_limit: null } }),
  'delete risk_limits': async () => ({ id: await walkedLimit() }),
  'create verification_rates': async () => ({
    attributes: { delivery_method: 'sms', prefix: String(5_500_000 + ++count), amount: '0.04', reason: 'a walk' },
  }),
  'update verification_rates': async () => ({ id: await walkedRate(), attributes: { amount: '0.07' } }),
  'delete verification_rates': async () => ({ id: await walkedRate() }),
  'create erasures': async () => {
    const { accountId } = await server.addAccount({ name: unique('Erased') });
    await closeAccount(byBootstrap(server.env), accountId, 'a walk');
    return { attributes: { reason: 'a walk' }, relationships: { account: linkTo('accounts', accountId) } };
  },
  'update submissions': async () => {
    const row = {
      account_id: server.accountId,
      reference: `WLK-${100_000 + ++count}`,
      created_at: server.clock.now(),
    };
    const { id } = await server.env.db
      .insertInto('address_verifications')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, attributes: { decision: 'reject', reject_reasons: ['a walk'] } };
  },
  'create carriers': async () => ({ attributes: { name: unique('carrier'), username: 'u', password: 'p' } }),
  'update carriers': async () => ({ id: await walkedCarrier(), attributes: { enabled: false, reason: 'a walk' } }),
  'delete carriers': async () => ({ id: await walkedCarrier() }),
  'create signing_certificates': async () => ({
    attributes: { ...certificate, name: unique('certificate'), private_key: signer.keyPem, reason: 'a walk' },
  }),
  'update signing_certificates': async () => ({ id: await walkedCertificate(), attributes: { enabled: true } }),
  'delete signing_certificates': async () => ({ id: await walkedCertificate() }),
  'create carrier_routes': async () => ({
    attributes: { prefix: '49', priority: 5 },
    relationships: { carrier: linkTo('carriers', await walkedCarrier()) },
  }),
  'update carrier_routes': async () => ({ id: await walkedCarrierRoute(), attributes: { weight: 3 } }),
  'delete carrier_routes': async () => ({ id: await walkedCarrierRoute() }),
  'create providers': async () => ({
    attributes: { name: `p-${++count}`, kind: 'http', settings: { url: 'https://sms.test/' }, secret: 'hidden' },
  }),
  'update providers': async () => ({ id: await walkedProvider(), attributes: { enabled: false } }),
  'delete providers': async () => ({ id: await walkedProvider() }),
  'create provider_routes': async () => ({
    attributes: { delivery_method: 'sms', prefix: '49' },
    relationships: { provider: linkTo('providers', await walkedProvider()) },
  }),
  'update provider_routes': async () => ({ id: await walkedProviderRoute(), attributes: { priority: 3 } }),
  'delete provider_routes': async () => ({ id: await walkedProviderRoute() }),
  'create account_notes': async () => ({
    attributes: { text: 'a walk' },
    relationships: { account: linkTo('accounts', server.accountId) },
  }),
  'delete account_notes': async () => ({ id: await writeNote(boot(), server.accountId, 'a walk') }),
  'create prefix_blocks': async () => ({
    attributes: { prefix: String(4_900_000 + ++count), mode: 'safe', reason: 'a walk' },
  }),
  'update prefix_blocks': async () => {
    const decision = { prefix: String(4_900_000 + ++count), mode: 'block', reason: 'a walk' } as const;
    const id = await decideOnPrefix(boot(), { ...decision, until: null, accountId: null });
    return { id, attributes: { lifted: true, reason: 'a walk' } };
  },
  'update guards': async () => {
    const { rows } = await server.env.pool.query(`select md5('dailyVolume')::uuid as id`);
    return { id: rows[0].id, attributes: { value: String(1_000 + ++count), reason: 'a walk' } };
  },
  'create peer_tests': async () => ({
    attributes: { destination: '4915112345678' },
    relationships: { provider: linkTo('providers', await walkedProvider()) },
  }),
  'create catalogue_imports': async () => ({ attributes: { name: 'walk.csv', content: 'number\n' } }),
  'create stock_actions': async () => ({
    attributes: { action: 'quarantine', numbers: ['4420794600001'], reason: 'a walk' },
  }),
  'create suppliers': async () => ({
    attributes: { name: unique('supplier'), url: 'http://127.0.0.1:9/v3', api_key: 'k', countries: ['GB'] },
  }),
  'update suppliers': async () => ({ id: await walkedSupplier(), attributes: { preview: true, reason: 'a walk' } }),
  'delete suppliers': async () => ({ id: await walkedSupplier() }),
  'create supplier_price_rules': async () => ({
    attributes: { country: 'GB', markup_percent: '10', reason: 'a walk' },
    relationships: { supplier: linkTo('suppliers', await walkedSupplier()) },
  }),
  'delete supplier_price_rules': async () => ({
    id: await addPriceRule(boot(), { id: await walkedSupplier() }, { markup_percent: '10' }),
  }),
  'create operators': async () => ({
    attributes: { email: `${unique('x').replace(' ', '')}@a.test`, role: 'support' },
  }),
  'update operators': async () => ({ id: (await addOperator(server)).id, attributes: { role: 'finance' } }),
  'delete operators': async () => ({ id: (await addOperator(server, 'support')).id }),
  'create operator_keys': async () => ({
    attributes: { name: 'k', key: `0123456789abcdef-${++count}` },
    relationships: { operator: linkTo('operators', (await addOperator(server, 'support')).id) },
  }),
  'delete operator_keys': async () => ({ id: (await addOperator(server, 'support')).keyId }),
};

/** A request for every route that is no document; the walk fails where one of the OpenAPI document is missing. */
const ownReads: Readonly<Record<string, { type: OperatorType; query: string; status?: number }>> = {
  '/routing': { type: 'routing', query: '?from=1&to=4420000000' },
  '/outbound_routing': { type: 'routing', query: `?trunk=${noRecord}&from=1&to=4420000000`, status: 404 },
  '/search': { type: 'search', query: '?q=442' },
  '/audit_entries.csv': { type: 'audit_entries', query: '' },
  '/statements': { type: 'statements', query: `?account=${noRecord}&month=2026-05`, status: 404 },
  '/statements.csv': { type: 'statements', query: `?account=${noRecord}&month=2026-05`, status: 404 },
  '/statements.pdf': { type: 'statements', query: `?account=${noRecord}&month=2026-05`, status: 404 },
  '/personal_data': { type: 'personal_data', query: `?account=${noRecord}`, status: 404 },
  '/prices.csv': { type: 'price_lists', query: '?kind=numbers' },
  '/submission_papers': { type: 'submission_papers', query: `?submission=${noRecord}`, status: 404 },
  '/submission_files': { type: 'submission_files', query: `?file=${noRecord}`, status: 404 },
  '/account_overview': { type: 'account_overview', query: `?account=${noRecord}`, status: 404 },
  '/invoice_previews': { type: 'invoices', query: '?month=2026-05' },
  '/conversions': { type: 'conversions', query: '?by=prefix' },
  '/margins': { type: 'margins', query: '?month=2026-05&digits=3' },
};

const methods = { list: 'GET', read: 'GET', create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;
const operations = registry
  .all()
  .flatMap(({ type, endpoints }) =>
    (Object.keys(methods) as Operation[])
      .filter((operation) => endpoints[operation])
      .map((operation) => ({ type: type as OperatorType, operation })),
  );

async function requestFor(type: string, operation: Operation) {
  if (operation === 'list') return { path: `/${type}` };
  if (operation === 'read') return { path: `/${type}/${noRecord}` };
  const write = writes[`${operation} ${type}`];
  if (write === undefined) throw new Error(`no request to ${operation} ${type} in this test`);
  const { id, ...members } = await write();
  const path = operation === 'create' ? `/${type}` : `/${type}/${id}`;
  return operation === 'delete' ? { path } : { path, body: { data: { type, ...(id ? { id } : {}), ...members } } };
}

/** What a role may not do is asked with a request made for all of them: none of them uses it up. */
const refusedRequests = new Map<string, ReturnType<typeof requestFor>>();
function refusedRequestFor(type: string, operation: Operation) {
  const key = `${operation} ${type}`;
  const request = refusedRequests.get(key) ?? requestFor(type, operation);
  refusedRequests.set(key, request);
  return request;
}

describe.each(roleNames)('%s', (role: OperatorRole) => {
  const operator = useOpened(async () => ({ ...(await addOperator(server, role)), close: async () => undefined }));

  test.each(operations)('may or may not $operation $type', async ({ type, operation }) => {
    const isAllowed = rolesFor(type, operation).includes(role);
    const { path, body } = await (isAllowed ? requestFor : refusedRequestFor)(type, operation);
    const before = await lastEntry();
    const response = await operator.client.request(methods[operation], path, body);
    const expected = { list: 200, read: 404, create: 201, update: 200, delete: 204 }[operation];
    expect(response.status, response.text).toBe(isAllowed ? expected : 403);
    const entries = await entriesSince(before);
    if (isAllowed && !['list', 'read'].includes(operation)) {
      expect(entries).toMatchObject([{ actor: operator.email, source: '127.0.0.1' }]);
    } else expect(entries).toEqual([]);
  });

  test('reaches other types only as it may read them', async () => {
    for (const resource of registry.all().filter(({ endpoints }) => endpoints.list)) {
      const ways = [
        ...Object.entries(resource.relationships).map(([name, each]) => [`include=${name}`, targetsOf(each)] as const),
        ...Object.entries(resource.filters).map(
          ([name, filter]) => [`filter[${name}]=`, readsOf(resource, name, filter) ?? ['unnamed']] as const,
        ),
      ];
      for (const [query, reached] of ways) {
        const isAllowed = [resource.type, ...reached].every((type) => rolesFor(type, 'list').includes(role));
        const { status } = await operator.client.get(`/${resource.type}?${query}`);
        expect([resource.type, query, status === 403]).toEqual([resource.type, query, !isAllowed]);
      }
    }
  });

  test.each(Object.entries(ownReads))('may or may not read %s', async (path, { type, query, status }) => {
    const isAllowed = rolesFor(type, 'read').includes(role);
    expect((await operator.client.get(`${path}${query}`)).status).toBe(isAllowed ? (status ?? 200) : 403);
  });
});

test.each(roleNames)('%s reads the files of an invoice as its record', async (role) => {
  const { client } = await addOperator(server, role);
  const isAllowed = rolesFor('invoices', 'read').includes(role);
  for (const form of ['pdf', 'xml']) {
    expect((await client.get(`/invoices/${noRecord}.${form}`)).status).toBe(isAllowed ? 404 : 403);
  }
});

test('the file of an import is sent by those who may import, and that is audited', async () => {
  for (const role of roleNames) {
    const { key, email } = await addOperator(server, role);
    const id = await requestImport(boot(), { name: 'walk.csv', dryRun: true, content: null });
    const before = await lastEntry();
    const url = `${server.url}/operator/v1/catalogue_imports/${id}/content`;
    const headers = { 'api-key': key, 'content-type': 'text/csv' };
    const { status } = await fetch(url, { method: 'PUT', headers, body: 'number\n' });
    const isAllowed = rolesFor('catalogue_imports', 'create').includes(role);
    expect([role, status]).toEqual([role, isAllowed ? 202 : 403]);
    expect(await entriesSince(before)).toMatchObject(isAllowed ? [{ actor: email, source: '127.0.0.1' }] : []);
  }
});

describe.each(registry.all())('$type', (resource) => {
  const { type, filters, sort, relationships } = resource;

  test('takes every filter, sort key and include that it declares', async () => {
    const { client } = await addOperator(server);
    const sampleFor = ({ enum: words, parse }: (typeof filters)[string]) =>
      words?.[0] ?? ['true', noRecord, '2026-06-15', '4045', '404', 'abc'].find((sample) => parse(sample) !== null);
    const queries = [
      ...Object.entries(filters).map(([name, filter]) => `filter[${name}]=${sampleFor(filter)}`),
      ...Object.keys(sort).flatMap((key) => [`sort=${key}`, `sort=-${key}&page[number]=2`]),
      ...Object.keys(relationships).map((name) => `include=${name}`),
    ];
    for (const query of queries) expect([query, (await client.get(`/${type}?${query}`)).status]).toEqual([query, 200]);
  });
});

test('the table of roles names every type, and nothing else', () => {
  const types = [...registry.all().map(({ type }) => type), ...Object.values(ownReads).map(({ type }) => type)];
  expect(Object.keys(permissions).toSorted()).toEqual([...new Set(types)].toSorted());
});

test('the walk reaches every path of the OpenAPI document', () => {
  const prefix = '/operator/v1';
  const paths = Object.keys(operatorDocument(server.env, server.url).paths).map((path) => path.slice(prefix.length));
  const types = registry.all().map(({ type }) => type);
  const isType = (path: string) => types.some((type) => path === `/${type}` || path.startsWith(`/${type}/`));
  expect(paths.filter((path) => !isType(path)).toSorted()).toEqual(Object.keys(ownReads).toSorted());
});

test('every operation refuses keys of other environments, of customers and none, and /v3 refuses operators', async () => {
  const operator = await addOperator(server);
  const foreign = await addOperator(production);
  for (const [path, item] of Object.entries(operatorDocument(server.env, server.url).paths)) {
    const url = `${server.url}${path.replaceAll(/\{\w+\}/g, noRecord)}`;
    for (const method of Object.keys(item)) {
      for (const key of [foreign.key, server.key, null]) {
        const response = await operator.client.with({ key }).request(method.toUpperCase(), url);
        expect([response.status, method, path]).toEqual([401, method, path]);
      }
    }
  }
  expect((await server.client.with({ key: operator.key }).get('/countries')).status).toBe(401);
  expect((await operator.client.get('/accounts')).status).toBe(200);
});
