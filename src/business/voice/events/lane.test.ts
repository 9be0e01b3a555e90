/** The requests that carry call events. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { eventRequest } from './lane.ts';

const plain = { url: 'http://h.test/x', gzip: false, username: null, password: null, headers: {} };

test('what the sender says replaces a header of the same name, however that is written', async () => {
  const settings = {
    ...plain,
    username: 'u',
    password: 'p',
    headers: { Authorization: 'Bearer x', 'User-Agent': 'mine', 'X-Token': 't' },
  };
  const { headers } = await eventRequest('voice_in_events', settings, ['{}']);
  expect(headers).toEqual({
    authorization: `Basic ${btoa('u:p')}`,
    'user-agent': 'CDR-streamer',
    'x-token': 't',
    accept: '*/*',
    'content-type': 'application/vnd.api+json',
  });
});

test('a header of the customer stands where the sender says nothing', async () => {
  const { headers } = await eventRequest('voice_in_events', { ...plain, headers: { Authorization: 'Bearer x' } }, [
    '{}',
  ]);
  expect(headers).toMatchObject({ authorization: 'Bearer x' });
});

test('CDRs go as lines, compressed, once the receiver wants them', async () => {
  const request = await eventRequest('voice_out_cdr', plain, ['{"a":1}', '{"a":2}']);
  expect(request).toMatchObject({
    expectContinue: true,
    headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
  });
  expect(gunzipSync(Buffer.from(request.body ?? '')).toString()).toBe('{"a":1}\n{"a":2}');
});
