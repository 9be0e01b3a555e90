/** For `node --test`: a phone is verified with the code that the inbox shows, and an error is handled. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTrunkline } from '@trunkline/test';

let trunkline;
before(async () => {
  trunkline = await startTrunkline();
});
after(() => trunkline?.close());

async function verify(world, method, path, data) {
  const { key, secret } = world.otp;
  const response = await fetch(`${world.url}/api/v1/verifications${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ data }),
  });
  return { status: response.status, body: await response.json() };
}

test('a phone is verified', async () => {
  const world = await trunkline.world();
  const started = await verify(world, 'POST', '', { destination: '+4915112345678', delivery_method: 'sms' });
  const { code } = await world.inbox.waitFor('+4915112345678');
  const reported = await verify(world, 'PATCH', `/${started.body.data.id}`, { delivery_method: 'sms', code });
  assert.equal(reported.body.data.status, 'verified');
  await world.end();
});

test('an error comes when a test wants it', async () => {
  await trunkline.faults.add({ do: { error: 'balance_insufficient' } });
  const refused = await verify(trunkline, 'POST', '', { destination: '+4915112345678', delivery_method: 'sms' });
  assert.equal(refused.status, 402);
});
