/** No member of a trunk carries a line break into a SIP message. */
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { Facts } from '../../engines/jsonapi/facts.ts';
import { voiceInTrunkGroups } from './inbound-trunks/voice-in-trunk-groups.ts';
import { voiceInTrunks } from './inbound-trunks/voice-in-trunks.ts';
import { voiceOutTrunks } from './outbound-trunks/voice-out-trunks.ts';

const server = useOpened(() => startTestServer());

/** Object type → what it needs beside the member that is looked at. */
const whole: Readonly<Record<string, object>> = {
  sip_configurations: {
    host: 'sip.example.net',
    codec_ids: [9],
    auth_enabled: true,
    auth_user: 'u',
    auth_password: 'p',
  },
  pstn_configurations: { dst: '442079460000' },
  iax2_configurations: { host: 'pbx.example.net', codec_ids: [9], dst: '1' },
  h323_configurations: { host: 'pbx.example.net', codec_ids: [9], dst: '1' },
  credentials_and_ip: { allowed_sip_ips: ['192.0.2.1'] },
  twilio: { twilio_account_sid: `AC${'0'.repeat(32)}` },
};

const objectOf = (type: string) => ({ type, attributes: whole[type] });

/** Type → what a record needs beside it. */
const required: Readonly<Record<string, object>> = {
  voice_in_trunks: { configuration: objectOf('sip_configurations') },
  voice_out_trunks: {
    on_cli_mismatch_action: 'reject_call',
    authentication_method: objectOf('credentials_and_ip'),
  },
};

const takesText = ({ type, items, create }: Facts): boolean =>
  create === true && (type === 'string' || items?.type === 'string');

/** Each member that takes text, with the attributes that set it to a value. */
function membersOf({ attributes }: typeof voiceInTrunks) {
  const sent = ({ type }: Facts, value: string) => (type === 'array' ? [value] : value);
  return Object.entries(attributes).flatMap(([name, { facts, objectTypes = {}, until = {} }]) => [
    ...(takesText(facts)
      ? [{ pointer: name, isFormer: false, set: (value: string) => ({ [name]: sent(facts, value) }) }]
      : []),
    ...Object.entries(objectTypes).flatMap(([type, members]) =>
      Object.entries(members)
        .filter(([, member]) => takesText(member))
        .map(([member, each]) => ({
          pointer: `${name}/${type}/${member}`,
          isFormer: Object.hasOwn(until, type),
          set: (value: string) => ({ [name]: { type, attributes: { ...whole[type], [member]: sent(each, value) } } }),
        })),
    ),
  ]);
}

const breaks = ['a\r\nX-Injected: b', 'a\r\n', 'a\nb', 'a\rb', '\na', 'a\u0085b', 'a\u2028b', 'a\u0007b'];

describe.each([voiceInTrunks, voiceInTrunkGroups, voiceOutTrunks])('$type', (resource) => {
  const { type, path } = resource;

  test.each(membersOf(resource))('$pointer takes no line break', async ({ pointer, isFormer, set }) => {
    const older = server.client.with({ headers: { 'x-service-api-version': '2022-05-10' } });
    for (const value of breaks) {
      const data = { type, attributes: { name: 'n', ...required[type], ...set(value) } };
      for (const client of isFormer ? [older] : [server.client, older]) {
        const { status, errors } = await client.post(String(path), { data });
        // What an older version does not have is 400 there.
        if (client === older && !isFormer && status === 400) continue;
        const refused = errors.map(({ source }) => source?.pointer?.split('/').at(-1));
        expect([value, status, refused]).toEqual([value, 422, expect.arrayContaining([pointer.split('/').at(-1)])]);
      }
    }
  });

  test('has members that take text', () => {
    expect(membersOf(resource).length).toBeGreaterThan(1);
  });
});
