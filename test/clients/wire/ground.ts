/** Prepares what the requests of the habits are about: a trunk, and a verification that can be read. */
import { type ClientServer, clientCredentials } from '../server.ts';
import { type Ground, json, jsonApi } from './habit.ts';

export async function openGround({ url }: ClientServer): Promise<Ground> {
  const { KEY, APP_KEY, APP_SECRET } = clientCredentials;
  const platform = { 'api-key': KEY };
  const verification = { authorization: `Basic ${Buffer.from(`${APP_KEY}:${APP_SECRET}`).toString('base64')}` };
  const destination = '4915199000001';
  const sip = { username: '{DID}', host: 'sip.example.com', codec_ids: [9] };
  const configuration = { type: 'sip_configurations', attributes: sip };
  const attributes = { name: 'On the wire', configuration };
  const post = async (path: string, type: string, headers: Record<string, string>, data: object): Promise<string> => {
    const body = JSON.stringify({ data });
    const response = await fetch(url + path, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const trunkId = await post('/v3/voice_in_trunks', jsonApi, platform, { type: 'voice_in_trunks', attributes });
  await post('/api/v1/verifications', json, verification, { destination, delivery_method: 'sms' });
  return { port: Number(new URL(url).port), platform, verification, trunkId, destination };
}
