/** What an outbound trunk shows and takes for an account without the features `replace_cli` and `randomize_cli`. */

import { beforeAll, describe, expect, test } from 'vitest';
import { whileLocked } from '../../../../test/support/lock.ts';
import { startTestServer, type TestAccount } from '../../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../../test/support/telephony.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { updateAccount } from '../../../business/accounts/accounts.ts';
import { createApiKey } from '../../../business/accounts/api-keys.ts';

const server = useOpened(() => startTestServer());
let telephony: Telephony;
let plain: TestAccount;
let plainTrunk: string;
beforeAll(async () => {
  telephony = await createTelephony(server.env);
  plain = await server.addAccount({ features: { replace_cli: false, randomize_cli: false } });
  plainTrunk = (await plain.client.post('/voice_out_trunks', document())).resource.id;
});

let made = 0;
const document = (attributes: object = {}, relationships: object = {}) => ({
  data: {
    type: 'voice_out_trunks',
    attributes: {
      name: `trunk ${++made}`,
      on_cli_mismatch_action: 'reject_call',
      authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['203.0.113.10'] } },
      ...attributes,
    },
    relationships,
  },
});
const toDid = (id: string) => ({ default_did: { data: { type: 'dids', id } } });

describe('default_did without replace_cli', () => {
  test('is no relationship of the trunk', async () => {
    const read = await plain.client.get(`/voice_out_trunks/${plainTrunk}`);
    expect(Object.keys(read.resource.relationships)).toEqual(['dids', 'emergency_dids']);
    const full = (await server.client.post('/voice_out_trunks', document())).resource;
    expect(Object.keys(full.relationships)).toEqual(['dids', 'emergency_dids', 'default_did']);
  });

  test('can neither be included, asked for as a field, nor followed', async () => {
    const trunk = `/voice_out_trunks/${plainTrunk}`;
    expect((await plain.client.get(`${trunk}?include=default_did`)).errors).toMatchObject([
      { code: '112', detail: 'default_did is not a valid relationship of voice_out_trunks' },
    ]);
    expect((await plain.client.get(`${trunk}?fields[voice_out_trunks]=name,default_did`)).errors).toMatchObject([
      { code: '104', detail: 'default_did is not a valid field for voice_out_trunks.' },
    ]);
    expect((await plain.client.get(`${trunk}/default_did`)).status).toBe(404);
    expect((await plain.client.get(`${trunk}/relationships/default_did`)).status).toBe(404);
  });

  test('can not be written', async () => {
    const { id } = await telephony.did(plain.accountId);
    expect((await plain.client.post('/voice_out_trunks', document({}, toDid(id)))).errors).toMatchObject([
      { status: '400', code: '105', detail: 'default_did is not allowed.' },
    ]);
  });
});

test.each(['replace_cli', 'randomize_cli'])(
  '%s is neither an action nor a filter value without its feature',
  async (action) => {
    const refused = await plain.client.post('/voice_out_trunks', document({ on_cli_mismatch_action: action }));
    expect(refused.errors).toMatchObject([{ status: '422', detail: 'on_cli_mismatch_action - is invalid' }]);
    const query = `/voice_out_trunks?filter[on_cli_mismatch_action]=${action}`;
    expect((await plain.client.get(query)).errors).toMatchObject([
      { status: '400', code: '107', detail: `${action} is not a valid value for on_cli_mismatch_action.` },
    ]);
    expect((await server.client.get(query)).status).toBe(200);
  },
);

test('a trunk that replaces the caller id stays editable when its account loses the feature', async () => {
  const account = await server.addAccount();
  const { id: did } = await telephony.did(account.accountId);
  const wish = document({ on_cli_mismatch_action: 'replace_cli' }, toDid(did));
  const { id } = (await account.client.post('/voice_out_trunks', wish)).resource;
  await updateAccount(server.env, account.accountId, { features: { replace_cli: false } });
  // A key of its own: the first one's caller may still be in memory.
  const { key } = await createApiKey(server.env, account.accountId, { name: 'after' });
  const data = { id, type: 'voice_out_trunks', attributes: { rtp_ping: true } };
  const changed = await account.client.with({ key }).patch(`/voice_out_trunks/${id}`, { data });
  expect(changed.resource.attributes).toMatchObject({ rtp_ping: true, on_cli_mismatch_action: 'replace_cli' });
});

describe('the filter default_did.id', () => {
  test('finds trunks by a number of the account, however its id is written', async () => {
    const { id: did } = await telephony.did(server.accountId);
    const wish = document({ on_cli_mismatch_action: 'replace_cli' }, toDid(did));
    const { id } = (await server.client.post('/voice_out_trunks', wish)).resource;
    for (const written of [did, did.toUpperCase()]) {
      const found = await server.client.get(`/voice_out_trunks?filter[default_did.id]=${written}`);
      expect(found.resources.map((trunk) => trunk.id)).toEqual([id]);
    }
  });

  test('refuses a number of somebody else, and one that is not there', async () => {
    const { id: foreign } = await telephony.did(plain.accountId);
    for (const id of [foreign, '00000000-0000-4000-8000-000000000000']) {
      expect((await server.client.get(`/voice_out_trunks?filter[default_did.id]=${id}`)).errors).toMatchObject([
        { status: '400', code: '107', detail: `${id} is not a valid value for default_did.id.` },
      ]);
    }
  });
});

test('a refusal names the feature that is missing', async () => {
  const none = await server.addAccount({ features: { outbound: false, emergency: false, tls: false } });
  const detailOf = async (path: string) => (await none.client.get(path)).errors.map(({ detail }) => detail);
  expect(await detailOf('/voice_out_trunks')).toEqual([
    'The feature outbound is not enabled for this account: outbound trunks.',
  ]);
  expect(await detailOf('/emergency_requirements')).toEqual([
    'The feature emergency is not enabled for this account: emergency calling.',
  ]);
  const configuration = {
    type: 'sip_configurations',
    attributes: { host: 'sip.example.net', codec_ids: [9], transport_protocol_id: 3 },
  };
  const encrypted = { data: { type: 'voice_in_trunks', attributes: { name: 'tls', configuration } } };
  expect((await none.client.post('/voice_in_trunks', encrypted)).errors).toMatchObject([
    { status: '403', detail: 'The feature tls is not enabled for this account: TLS and SRTP on trunks.' },
  ]);
});

test('parallel updates cannot leave replace_cli without a default number', async () => {
  const { id: did } = await telephony.did(server.accountId);
  const { id } = (await server.client.post('/voice_out_trunks', document())).resource;
  const patch = (attributes: object, relationships: object) =>
    server.client.patch(`/voice_out_trunks/${id}`, {
      data: { type: 'voice_out_trunks', id, attributes, relationships },
    });
  const responses = await whileLocked(server.env.pool, 'voice_out_trunks', id, [
    () => patch({ on_cli_mismatch_action: 'replace_cli' }, toDid(did)),
    () => patch({}, { default_did: { data: null } }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 422]);
  expect(responses[1]?.errors[0]?.detail).toBe("default_did - can't be blank");
});
