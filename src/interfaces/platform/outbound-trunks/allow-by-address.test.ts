/** A trunk that an operator lets in by its addresses alone. */

import { beforeAll, expect, test } from 'vitest';
import { credentials, patchOutboundTrunk, postOutboundTrunk } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { allowByAddress } from './authentication.ts';

const server = useOpened(() => startTestServer());
let trunkId: string;
beforeAll(async () => {
  trunkId = (await postOutboundTrunk(server.client)).resource.id;
});

const patch = (attributes: object) => patchOutboundTrunk(server.client, trunkId, attributes);
const ipOnly = {
  type: 'ip_only',
  attributes: { allowed_sip_ips: ['198.51.100.0/24', '2001:db8::1/128'], tech_prefix: '9#' },
};

test('is shown as such, stays editable otherwise, and goes to another method but not back', async () => {
  await allowByAddress(server.env, trunkId, { addresses: ['198.51.100.0/24', '2001:db8::1'], techPrefix: '9#' });
  const renamed = await patch({ name: 'the carrier' });
  expect(renamed.resource.attributes).toMatchObject({ name: 'the carrier', authentication_method: ipOnly });
  const found = await server.client.get('/voice_out_trunks?filter[authentication_method.type]=ip_only');
  expect(found.resources.map(({ id }) => id)).toEqual([trunkId]);
  expect((await patch({ authentication_method: ipOnly })).errors).toMatchObject([
    {
      detail: 'type - is not allowed for update',
      source: { pointer: '/data/attributes/authentication_method/type' },
    },
  ]);
  const back = await patch({ authentication_method: credentials() });
  expect(back.resource.attributes.authentication_method).toMatchObject({
    type: 'credentials_and_ip',
    attributes: { tech_prefix: null, username: expect.stringMatching(/^\w{16}$/) },
  });
});

test.each<[string, string[], string | null, string]>([
  ['no address', ['nowhere'], null, 'not a list of'],
  ['a prefix of letters', ['198.51.100.1'], 'a', 'not a prefix'],
])('refuses %s', async (_, addresses, techPrefix, text) => {
  await expect(allowByAddress(server.env, trunkId, { addresses, techPrefix })).rejects.toThrow(text);
});

test('refuses a trunk that is not there', async () => {
  const allowed = { addresses: ['198.51.100.1'], techPrefix: null };
  for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
    await expect(allowByAddress(server.env, id, allowed)).rejects.toThrow('There is no outbound trunk');
  }
});
