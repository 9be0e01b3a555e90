/** Inbound trunks through the API, on a server of their own where calls may be forwarded to British numbers. */
import { beforeAll, expect } from 'vitest';
import { startTestServer } from './server.ts';
import { useOpened } from './use.ts';

const sip = (attributes: object = {}) => ({
  type: 'sip_configurations',
  attributes: { host: 'sip.example.net', codec_ids: [9, 10], ...attributes },
});

export const configurationOf = (resource: { attributes: Record<string, unknown> }) =>
  (resource.attributes.configuration as { attributes: Record<string, unknown> }).attributes;

export function useTrunks() {
  const server = useOpened(() => startTestServer());
  beforeAll(async () => {
    await server.env.db
      .insertInto('voice_rates')
      .values({ kind: 'pstn_forwarding', prefix: '44', per_minute: '0.02' })
      .execute();
  });

  let made = 0;
  const trunk = (attributes: object = {}, relationships: object = {}) => ({
    data: {
      type: 'voice_in_trunks',
      attributes: { name: `trunk ${++made}`, configuration: sip(), ...attributes },
      relationships,
    },
  });
  const patch = (id: string, attributes: object, relationships: object = {}) =>
    server.client.patch(`/voice_in_trunks/${id}`, { data: { id, type: 'voice_in_trunks', attributes, relationships } });
  const created = async (attributes: object = {}, relationships: object = {}) => {
    const response = await server.client.post('/voice_in_trunks', trunk(attributes, relationships));
    expect(response.errors).toEqual([]);
    return response.resource;
  };
  return { server, sip, trunk, patch, created };
}
