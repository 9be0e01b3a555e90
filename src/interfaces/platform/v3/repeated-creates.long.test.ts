/** `Idempotency-Key` on every documented create. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import { creates, loadForCreates, type MadeCreate, otherBody } from '../../../../test/support/creates.ts';
import { encryptFile, pdf, testKeys, uploadForm } from '../../../../test/support/encrypted-upload.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createApiKey } from '../../../business/accounts/api-keys.ts';
import { platformPart } from './openapi.ts';

/**
 * A request may hold one connection of its account: a create that asked for a second while its transaction holds the
 * first would wait for itself.
 */
const shop = useOpened(() =>
  startTestServer({ account: { balance: '10000' }, pool: { max: 10, perAccount: 1, requestWaitMs: 10_000 } }),
);
beforeAll(() => loadForCreates(shop));

/** A key that cannot be stored: the disk is full in that moment. */
const unstorable = 'cannot be stored';
beforeAll(() =>
  shop.env.pool.query(`
    create function refuse_key() returns trigger language plpgsql as $$
    begin raise 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger refuse_key before insert on idempotency_keys
      for each row when (new.key = '${unstorable}') execute function refuse_key()`),
);

const send = ({ path, by = shop }: MadeCreate, body: object, key: string) =>
  by.client.post(path, body, { headers: { 'idempotency-key': key } });

const changed = async ({ table }: MadeCreate): Promise<string> => {
  const counted = table ?? 'voice_out_trunks';
  const { rows } = await shop.env.pool.query(
    `select count(*)::text || ' ' || coalesce(md5(string_agg(t::text, ',' order by t.id)), '') as state from ${counted} t`,
  );
  return rows[0].state;
};
const count = async (made: MadeCreate) => Number((await changed(made)).split(' ', 1)[0]);

describe.each(Object.entries(creates))('%s', (_operation, make) => {
  test('is done once for one key, however often and in parallel', async () => {
    const made = await make(shop);
    const before = await count(made);
    const key = randomUUID();
    const responses = await Promise.all([1, 2, 3].map(() => send(made, made.body, key)));
    const first = responses[0];
    expect([first?.status, first?.text]).toEqual([201, expect.any(String)]);
    const afterwards = await changed(made);
    responses.push(await send(made, made.body, key));
    expect(responses.map(({ status, text }) => [status, text])).toEqual(responses.map(() => [201, first?.text]));
    expect(await changed(made)).toBe(afterwards);
    expect((await count(made)) - before).toBe(made.table === null ? 0 : 1);

    const other = await send(made, await otherBody(shop, made), key);
    expect([other.status, other.errors]).toMatchObject([
      422,
      [{ code: '100', detail: 'Idempotency-Key has already been used for another request' }],
    ]);
  });

  test('leaves nothing when its key cannot be stored', async () => {
    const made = await make(shop);
    const before = await changed(made);
    const refused = await send(made, made.body, unstorable);
    expect([refused.status, refused.errors[0]?.meta]).toEqual([503, { outcome: 'nothing_changed' }]);
    expect(await changed(made)).toBe(before);
    // A request that was not carried out has used no key up.
    expect((await send(made, made.body, randomUUID())).status).toBe(201);
  });
});

test('every documented create is tried here, and says that it takes a key', () => {
  const documented = Object.entries(platformPart('X').paths).flatMap(([path, { post }]) =>
    post && !path.includes('/relationships/') ? [{ path, post }] : [],
  );
  const keyed = documented.filter(({ post }) =>
    post.parameters?.some((each) => '$ref' in each && each.$ref.endsWith('/idempotency_key')),
  );
  expect(keyed.map(({ path }) => path)).toEqual(documented.map(({ path }) => path));
  const tried = new Set(['create_encrypted_files', ...Object.keys(creates)]);
  const operations = documented.map(({ post }) => post.operationId ?? '').filter((id) => !id.includes('_at_'));
  expect(operations.filter((id) => !tried.has(id))).toEqual([]);
});

test('a key that is refused is free, one that is too long is refused', async () => {
  const body = (first_name: string | null) => ({
    data: {
      type: 'identities',
      attributes: { identity_type: 'personal', first_name, last_name: 'X', phone_number: '442037691880' },
    },
  });
  const post = (key: string, name: string | null) =>
    shop.client.post('/identities', body(name), { headers: { 'idempotency-key': key } });
  const key = randomUUID();
  expect((await post(key, null)).status).toBe(422);
  expect((await post(key, 'Jane')).status).toBe(201);
  expect((await post('k'.repeat(256), 'Jane')).errors).toMatchObject([
    { code: '100', detail: 'Idempotency-Key is too long (maximum is 255 characters)' },
  ]);
});

test('another account may use the same key, and a caller who sees less gets no answer that shows more', async () => {
  const make = creates.create_voice_out_trunks;
  if (!make) throw new Error('outbound trunks can be made');
  const made = await make(shop);
  const key = randomUUID();
  const first = await send(made, made.body, key);
  expect(first.status).toBe(201);
  const other = await shop.addAccount();
  expect((await send({ ...made, by: other }, made.body, key)).status).toBe(201);
  const included = await shop.client.post(`${made.path}?include=dids`, made.body, {
    headers: { 'idempotency-key': key },
  });
  expect(included.status).toBe(422);

  const password = /"password":"([^"]+)"/.exec(first.text)?.[1] ?? '';
  expect(password).not.toBe('');
  const { rows } = await shop.env.pool.query('select k::text as kept from idempotency_keys k where key = $1', [key]);
  expect(rows.map(({ kept }) => kept.includes(password))).toEqual([false, false]);
  const byScopes = async (...scopes: string[]) => {
    const { key: scoped } = await createApiKey(shop.env, shop.accountId, { name: scopes.join(), scopes });
    const by = { ...shop, client: shop.client.with({ key: scoped }) };
    const { status, text } = await send({ ...made, by }, made.body, key);
    return [status, text.includes(password)];
  };
  expect([await byScopes('voice'), await byScopes('voice:read', 'secrets:read'), await byScopes('numbers')]).toEqual([
    [422, false],
    [403, false],
    [403, false],
  ]);
  expect(await byScopes('voice', 'secrets:read')).toEqual([201, true]);
});

test('an upload is stored once for one key', async () => {
  const keys = await testKeys(shop.env);
  const file = encryptFile(pdf, keys);
  const send = (key: string, bytes = file) =>
    checkedFetch(`${shop.url}/v3/encrypted_files`, {
      method: 'POST',
      headers: { 'api-key': shop.key, 'idempotency-key': key },
      body: uploadForm(bytes, keys.fingerprint),
    });
  const stored = async () =>
    (await shop.env.pool.query('select count(*)::int as count from stored_files')).rows[0].count;
  const before = await stored();
  const key = randomUUID();
  const [first, second] = [await send(key), await send(key)];
  const text = await first.text();
  expect([first.status, second.status, await second.text()]).toEqual([201, 201, text]);
  expect((await send(key, encryptFile('%PDF-1.4 another', keys))).status).toBe(422);
  expect((await send(unstorable)).status).toBe(503);
  expect((await stored()) - before).toBe(1);
});
