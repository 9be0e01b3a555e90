/** A number of the demo account whose calls go to a port of this machine, set through /v3. */
import { expect } from 'vitest';
import type { PanelBrowser } from './panel-browser.ts';

export async function v3({ url, apiKey }: PanelBrowser, method: string, address: string, data?: object) {
  const type = 'application/vnd.api+json';
  const response = await fetch(`${url}/v3${address}`, {
    method,
    headers: { 'api-key': apiKey, accept: type, ...(data && { 'content-type': type }) },
    ...(data && { body: JSON.stringify({ data }) }),
  });
  expect(response.ok).toBe(true);
  return JSON.parse(await response.text()).data;
}

export async function numberAt(panel: PanelBrowser, port: number): Promise<string> {
  const [did] = await v3(panel, 'GET', '/dids');
  const configuration = { type: 'sip_configurations', attributes: { host: '127.0.0.1', port, codec_ids: [9, 10, 6] } };
  const type = 'voice_in_trunks';
  const trunk = await v3(panel, 'POST', '/voice_in_trunks', {
    type,
    attributes: { name: `phone ${port}`, configuration },
  });
  const voice_in_trunk = { data: { type, id: trunk.id } };
  await v3(panel, 'PATCH', `/dids/${did.id}`, { id: did.id, type: 'dids', relationships: { voice_in_trunk } });
  return did.attributes.number;
}
