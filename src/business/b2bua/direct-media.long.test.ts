/** Without a media engine descriptions pass as they are, and both sides must mean the same by them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ media: null });
});
afterAll(() => world.close());

const secure = (key = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj') => {
  const { type, body } = sdp('0', [key]);
  return { type, body: Buffer.from(String(body).replace('RTP/AVP', 'RTP/SAVP')) };
};

test('encrypted and plain media are never mixed (trap 16)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const plain = await world.number([trunk.port]);
  caller.dial(plain.number, { extra: { content: secure() } });
  await expect.poll(() => caller.events).toEqual(['failed 488']);
  const encrypted = await world.number([trunk.port], { media_encryption_mode: 'srtp_sdes' });
  caller.dial(encrypted.number);
  await expect.poll(() => caller.events).toEqual(['failed 488', 'failed 488']);
  expect(trunk.invites).toEqual([]);
  expect(caller.responses.at(-1)?.headers.first('Reason')).toContain(
    'Media encryption differs: srtp_sdes is demanded, disabled came',
  );
  await expect
    .poll(() => world.cdrs(encrypted.number))
    .toMatchObject([{ response: 'Media encryption differs: srtp_sdes is demanded, disabled came' }]);
  // The trunk answers an encrypted offer with plain media: it is hung up, and the caller does not hear silence.
  caller.dial(encrypted.number, { extra: { content: secure() } });
  await expect.poll(() => caller.events.at(-1)).toBe('failed 488');
  await expect.poll(() => trunk.events.at(-1)).toBe('ended remote');
  trunk.onCall = (call) => void trunk.answer(call, secure());
  caller.dial(encrypted.number, { extra: { content: secure() } });
  await expect.poll(() => caller.events.at(-1)).toBe('answered');
  caller.sessions[0]?.hangUp();
});

test('media flow between the two ends', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(trunk.invites[0]?.body.toString()).toContain('m=audio 4000 RTP/AVP 0 8 101\r\n');
  expect(caller.responses.at(-1)?.body.toString()).toContain('m=audio 4000 RTP/AVP 0\r\n');
  caller.sessions[0]?.hangUp();
});
