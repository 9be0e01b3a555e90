/** The last part of the story: a world, in which a test suite is alone. */
import type { Recorder } from '../../support/recorder.ts';

export async function makeWorld(recorder: Recorder): Promise<void> {
  const send = recorder.send.bind(recorder);
  const { body: world } = await send('POST', '/sandbox/v1/worlds', { body: { from: 'empty', name: 'checkout' } });
  await send('GET', '/sandbox/v1/worlds');
  await send('GET', `/sandbox/v1/worlds/${world.id}`);
  const snapshot = { name: 'with-a-number' };
  await send('POST', '/sandbox/v1/snapshots', { body: snapshot });
  await send('POST', '/sandbox/v1/snapshots', { as: 'The name is taken', body: snapshot, refused: true });
  await send('GET', '/sandbox/v1/snapshots');
  await send('POST', `/sandbox/v1/worlds/${world.id}/reset`, { body: {} });
  await send('GET', '/sandbox/v1/snapshots/with-a-number');
  const raw = await recorder.download('/sandbox/v1/snapshots/with-a-number');
  const headers = { 'content-type': 'application/gzip' };
  await send('PUT', '/sandbox/v1/snapshots/from-a-file', { raw, headers });
  await send('PUT', '/sandbox/v1/snapshots/from-a-file', { as: 'Taken', raw, headers, refused: true });
  await send('DELETE', '/sandbox/v1/snapshots/from-a-file');
  await send('DELETE', '/sandbox/v1/snapshots/with-a-number');
  await send('DELETE', `/sandbox/v1/worlds/${world.id}`);
  const declined = { match: { method: 'POST', path: '/v3/orders' }, do: { error: 'insufficient_balance' }, seed: 1 };
  const { body: fault } = await send('POST', '/sandbox/v1/faults', { as: 'An order is refused', body: declined });
  const stuck = { do: { fault: 'order.pending' }, times: null, seed: 1 };
  await send('POST', '/sandbox/v1/faults', { as: 'Orders stay pending', body: stuck });
  await send('GET', '/sandbox/v1/faults');
  await send('DELETE', `/sandbox/v1/faults/${fault.id}`);
  await send('DELETE', '/sandbox/v1/faults');
  await send('POST', '/sandbox/v1/seed', { as: 'A number of any state, a past call', body: records });
  await send('POST', '/sandbox/v1/seed', { as: 'One is wrong', body: { numbers: [{ country: 'ZZ' }] }, refused: true });
  await seeWhatHappened(recorder);
}

const records = {
  numbers: [{ country: 'FR', type: 'Mobile', needs_registration: true }],
  accounts: [
    {
      balance: '250.00',
      numbers: [{ country: 'GB', prefix: '20', number: '442079460017', area: 'Seeded', state: 'expired' }],
      calls: [{ number: '442079460017', src_number: '33612345678', at: '-P3D', talk_seconds: 30 }],
    },
  ],
};

async function seeWhatHappened(recorder: Recorder): Promise<void> {
  const send = recorder.send.bind(recorder);
  const { body: clock } = await send('GET', '/sandbox/v1/clock', { unrecorded: true });
  await send('GET', '/v3/balance', { unrecorded: true });
  await send('GET', `/sandbox/v1/requests?since=${clock.now}`);
  await send('GET', `/sandbox/v1/timeline?since=${clock.now}`);
  await send('GET', '/sandbox/v1/deliveries');
  await send('GET', '/sandbox/v1/calls');
  await send('POST', '/sandbox/v1/clock', { as: 'Until idle', body: { until: 'idle', within_seconds: 5 } });
}
