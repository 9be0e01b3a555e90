/** Who gets credentials for a phone in the browser, and for which trunks. */
import { beforeAll, expect, test } from 'vitest';
import { PanelClient } from '../../../test/support/panel-client.ts';
import { credentials, postOutboundTrunk } from '../../../test/support/requests.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openSession } from '../../business/accounts/sessions.ts';
import { credentialMinutes, phonePasswords, phoneUser } from '../../business/voice/phone-credentials.ts';
import type { AccountRole } from '../../engines/db/tables/accounts.ts';

const server = useOpened(() => startTestServer());
const ids = { waiting: '', hosted: '', outbound: '', foreign: '' };

beforeAll(async () => {
  const trunk = async (name: string, attributes: object) => {
    const configuration = { type: 'sip_configurations', attributes: { codec_ids: [9], ...attributes } };
    const data = { type: 'voice_in_trunks', attributes: { name, configuration } };
    return (await server.client.post('/voice_in_trunks', { data })).resource.id;
  };
  ids.waiting = await trunk('waiting', { enabled_sip_registration: true, use_did_in_ruri: false });
  ids.hosted = await trunk('hosted', { host: 'sip.example.com' });
  ids.outbound = (await postOutboundTrunk(server.client, { authentication_method: credentials() })).resource.id;
  const { client } = await server.addAccount();
  ids.foreign = (await postOutboundTrunk(client, { authentication_method: credentials() })).resource.id;
});

async function browserOf(role: AccountRole) {
  const { id } = await server.env.db
    .insertInto('account_members')
    .values({ account_id: server.accountId, email: `${role}@a.test`, role, created_at: server.clock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirstOrThrow();
  const browser = new PanelClient(server.url);
  const person = { kind: 'member', id, accountId: server.accountId } as const;
  browser.cookie = `trunkline_sandbox_session=${await openSession(server.env, { person, ip: '127.0.0.1', userAgent: '' })}`;
  return { browser, sessionId: await sessionIdOf(id) };
}

const sessionIdOf = async (memberId: string): Promise<string> =>
  (
    await server.env.db
      .selectFrom('panel_sessions')
      .select('id')
      .where('member_id', '=', memberId)
      .executeTakeFirstOrThrow()
  ).id;

test.each([
  ['owner', 201],
  ['developer', 201],
  ['billing', 403],
  ['read-only', 403],
] as const)('%s', async (role, status) => {
  const { browser, sessionId } = await browserOf(role);
  for (const [type, id, direction] of [
    ['voice_in_trunks', ids.waiting, 'in'],
    ['voice_out_trunks', ids.outbound, 'out'],
  ] as const) {
    const asked = await browser.post('/panel/v1/phone_credentials', { type, id });
    expect(asked.status).toBe(status);
    if (status !== 201) continue;
    const { username, password, expires_at } = JSON.parse(asked.text);
    const expiresAt = new Date(server.clock.now().getTime() + credentialMinutes * 60_000);
    expect(phoneUser(username)).toMatchObject({ direction, trunkId: id, sessionId });
    expect(phonePasswords(server.env, username)).toContain(password);
    expect(expires_at).toBe(expiresAt.toISOString());
  }
  if (status !== 201) return;
  for (const [type, id] of [
    ['voice_in_trunks', ids.hosted],
    ['voice_in_trunks', ids.outbound],
    ['voice_out_trunks', ids.foreign],
    ['voice_out_trunks', 'x'],
    ['dids', ids.waiting],
  ]) {
    expect([type, (await browser.post('/panel/v1/phone_credentials', { type, id })).status]).toEqual([type, 404]);
  }
  expect((await browser.post('/panel/v1/phone_credentials', {})).status).toBe(400);
});
