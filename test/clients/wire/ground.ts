/** Prepares what the requests of the habits are about: a trunk, and a verification that can be read. */
import { createHash, createHmac } from 'node:crypto';
import { type ClientServer, clientCredentials } from '../server.ts';
import { type Ground, json, jsonApi } from './habit.ts';

/** The signature of the specification, over the bytes that are sent. */
function signed(method: string, path: string, body?: Buffer): Record<string, string> {
  const { APP_KEY, APP_SECRET } = clientCredentials;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const md5 = body === undefined ? '' : createHash('md5').update(body).digest('base64');
  const text = [method, md5, body === undefined ? '' : json, `x-timestamp:${timestamp}`, path].join('\n');
  const signature = createHmac('sha256', Buffer.from(APP_SECRET, 'base64url')).update(text).digest('base64');
  return { authorization: `Application ${APP_KEY}:${signature}`, 'x-timestamp': timestamp };
}

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
  return { port: Number(new URL(url).port), platform, verification, signed, trunkId, destination };
}
