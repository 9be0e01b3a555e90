/**
 * Who sees the passwords of trunks: keys without scopes in every response, people in the panel when they ask for them.
 */
import { beforeAll, expect, test } from 'vitest';
import { PanelClient } from '../../../test/support/panel-client.ts';
import { credentials, patchDid, postOutboundTrunk } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import { confirmedSeconds } from '../../business/accounts/confirmed-acts.ts';
import { openSession } from '../../business/accounts/sessions.ts';
import type { AccountRole } from '../../engines/db/tables/accounts.ts';
import { resources } from '../platform/v3/resources.ts';
import { revealed } from './secrets.ts';

const shop = useOpened(() => openShop());
const sent = 'sent-to-their-server';
let did: string;
let inbound: string;
let outbound: string;
let secrets: string[];

beforeAll(async () => {
  [did = ''] = await shop.buyDids('london');
  const attributes = {
    ...{ enabled_sip_registration: true, codec_ids: [9], use_did_in_ruri: false },
    ...{ auth_enabled: true, auth_user: 'user', auth_password: sent },
  };
  const made = await shop.client.post('/voice_in_trunks', {
    data: {
      type: 'voice_in_trunks',
      attributes: { name: 'in', configuration: { type: 'sip_configurations', attributes } },
    },
  });
  inbound = made.resource.id;
  await patchDid(shop.client, did, {}, { voice_in_trunk: { data: { type: 'voice_in_trunks', id: inbound } } });
  const out = await postOutboundTrunk(shop.client, { authentication_method: credentials() });
  outbound = out.resource.id;
  const shown = [made, out].flatMap(({ text }) => [...text.matchAll(/"(?:\w+_)?password":"([^"]+)"/g)]);
  secrets = shown.map(([, secret = '']) => secret);
  expect(secrets).toHaveLength(3);
});

const ways = () => [
  '/voice_in_trunks',
  `/voice_in_trunks/${inbound}`,
  '/voice_out_trunks',
  `/voice_out_trunks/${outbound}`,
  `/dids/${did}?include=voice_in_trunk`,
  `/dids/${did}/voice_in_trunk`,
];

const shownIn = (text: string) => secrets.filter((secret) => text.includes(secret)).length;

const clientOf = async (...scopes: string[]) => {
  const { key } = await createApiKey(shop.env, shop.accountId, { name: scopes.join(), scopes });
  return shop.client.with({ key });
};

let people = 0;

async function browserOf(role: AccountRole): Promise<{ browser: PanelClient; memberId: string }> {
  const { id } = await shop.env.db
    .insertInto('account_members')
    .values({ account_id: shop.accountId, email: `${role}-${++people}@a.test`, role, created_at: shop.clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  const person = { kind: 'member', id, accountId: shop.accountId } as const;
  const browser = new PanelClient(shop.url);
  browser.cookie = `trunkline_sandbox_session=${await openSession(shop.env, { person, ip: '127.0.0.1', userAgent: '' })}`;
  return { browser, memberId: id };
}

const patchTrunk = (id: string) => ({ data: { type: 'voice_in_trunks', id, attributes: { description: 'changed' } } });

test('a key without scopes sees passwords, one with scopes only with secrets:read', async () => {
  const scopes = ['voice', 'numbers', 'coverage', 'orders', 'account', 'regulation'];
  const [hiding, showing] = [await clientOf(...scopes), await clientOf(...scopes, 'secrets:read')];
  for (const way of ways()) {
    const shown = [shop.client, showing, hiding].map(async (client) => shownIn((await client.get(way)).text));
    const [whole, allowed, hidden] = await Promise.all(shown);
    expect([way, hidden, allowed]).toEqual([way, 0, whole]);
    expect(whole, way).toBeGreaterThan(0);
    const older = hiding.with({ headers: { 'x-service-api-version': '2022-05-10' } });
    expect(shownIn((await older.get(way)).text), way).toBe(0);
  }
  const patched = await hiding.patch(`/voice_in_trunks/${inbound}`, patchTrunk(inbound));
  expect([patched.status, shownIn(patched.text)]).toEqual([200, 0]);
  const kept = await shop.client.get(`/voice_in_trunks/${inbound}`);
  expect(shownIn(kept.text), 'what is not shown stays as it is').toBe(2);
});

const audited = () =>
  shop.env.db
    .selectFrom('audit_log')
    .select(['actor', 'account_id', 'subject_type', 'subject_id', 'details'])
    .where('action', '=', 'secret.revealed')
    .orderBy('id')
    .execute();

test.each(['owner', 'developer', 'billing', 'read-only'] as const)('%s in the panel', async (role) => {
  const { browser, memberId } = await browserOf(role);
  for (const way of ways()) expect([way, shownIn((await browser.get(`/v3${way}`)).text)]).toEqual([way, 0]);
  const before = await audited();
  const asked = await browser.post('/panel/v1/secret_reveals', { type: 'voice_in_trunks', id: inbound });
  if (role === 'billing' || role === 'read-only') {
    expect([asked.status, shownIn(asked.text), await audited()]).toEqual([403, 0, before]);
    return;
  }
  expect(asked.status).toBe(201);
  expect(JSON.parse(asked.text)).toMatchObject({
    secrets: { auth_password: sent, incoming_auth_password: secrets[1] },
  });
  expect((await audited()).slice(before.length)).toEqual([
    {
      actor: 'customer',
      account_id: shop.accountId,
      subject_type: 'voice_in_trunks',
      subject_id: inbound,
      details: { members: ['auth_password', 'incoming_auth_password'], member: memberId },
    },
  ]);
  const out = await browser.post('/panel/v1/secret_reveals', { type: 'voice_out_trunks', id: outbound });
  expect(shownIn(out.text)).toBe(1);
});

test("nobody reveals another account's secrets, nor what is no secret", async () => {
  const { browser } = await browserOf('developer');
  const other = await shop.addAccount();
  const foreign = await postOutboundTrunk(other.client, { authentication_method: credentials() });
  const ask = async (type: string, id: string) => (await browser.post('/panel/v1/secret_reveals', { type, id })).status;
  expect(await ask('voice_out_trunks', foreign.resource.id)).toBe(404);
  expect(await ask('api_keys', inbound)).toBe(404);
  expect(await ask('voice_out_trunks', 'x')).toBe(404);
});

test('a session alone shows no secret: the person proves again who they are', async () => {
  const { browser } = await browserOf('owner');
  const made = await browser.post('/v3/voice_out_trunks', {
    data: {
      type: 'voice_out_trunks',
      attributes: { name: 'by a session', on_cli_mismatch_action: 'reject_call', authentication_method: credentials() },
    },
  });
  expect([made.status, made.text.includes('"password"')]).toEqual([201, false]);
  shop.clock.advance(confirmedSeconds + 1);
  const before = await audited();
  for (const [type, id] of [
    ['voice_in_trunks', inbound],
    ['voice_out_trunks', outbound],
    ['voice_out_trunks', made.resource.id],
  ]) {
    const asked = await browser.post('/panel/v1/secret_reveals', { type, id });
    expect([asked.status, shownIn(asked.text)]).toEqual([403, 0]);
    expect(asked.text).toContain('Confirm that it is you');
  }
  const renewed = await browser.post('/v3/voice_out_trunk_regenerate_credentials', {
    data: {
      type: 'voice_out_trunk_regenerate_credentials',
      relationships: { voice_out_trunk: { data: { type: 'voice_out_trunks', id: made.resource.id } } },
    },
  });
  expect(renewed.text).not.toContain('"password"');
  expect(await audited()).toEqual(before);
});

test('every secret that a type declares can be revealed', () => {
  const declared = resources.flatMap(({ type, attributes }) => {
    const members = Object.values(attributes).flatMap(({ objectTypes = {} }) =>
      Object.values(objectTypes).flatMap((each) => Object.entries(each).filter(([, { secret }]) => secret)),
    );
    const names = [...new Set(members.map(([name]) => name))].toSorted();
    return names.length === 0 ? [] : [[type, names]];
  });
  expect(Object.fromEntries(declared)).toEqual(
    Object.fromEntries(Object.entries(revealed).map(([type, { members }]) => [type, members.toSorted()])),
  );
  const unmarked = resources.flatMap(({ attributes }) =>
    Object.values(attributes).flatMap(({ objectTypes = {} }) =>
      Object.values(objectTypes).flatMap((each) =>
        Object.entries(each).filter(([name, { secret }]) => /password|secret/.test(name) && !secret),
      ),
    ),
  );
  expect(unmarked).toEqual([]);
});
