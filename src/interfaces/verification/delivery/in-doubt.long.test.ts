/** What happens when it is unknown whether a provider took a message. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../../test/support/receiver.ts';
import { openSmsc } from '../../../../test/support/smsc.ts';
import { useOpened } from '../../../../test/support/use.ts';
import type { VerificationClient } from '../../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../../test/support/verification-server.ts';
import { staleDispatchSeconds } from '../verification.ts';
import { deleteProvider, listProviders, saveProvider, saveRoute } from './manage-providers.ts';
import { closeProviders } from './opened-providers.ts';
import { DeliveryWithdrawn } from './provider.ts';
import { markBegun, markDispatched } from './sending-steps.ts';
import { loadDispatch } from './waiting-code.ts';

/** Messages of which nobody can say whether they went out. */
const server = useOpened(() => startVerificationServer({ name: 'production' }));
let client: VerificationClient;
let last = 0;

beforeAll(async () => {
  client = await server.client();
});
afterEach(async () => {
  await closeProviders(server.env);
  for (const { name } of await listProviders(server.env)) await deleteProvider(server.env, name);
});

async function start(): Promise<string> {
  const destination = `49151${String(++last).padStart(8, '0')}`;
  return (await client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
}
const stateOf = async (id: string) => (await client.status(id)).body.data;
const provide = async (kind: 'http' | 'smpp', settings: Record<string, unknown>) => {
  await saveProvider(server.env, { name: 'carrier', kind, settings, secret: 'secret' });
  await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: 'carrier' }, 1);
};
/** Up to the moment by which a dispatch has to be complete. */
async function waitInVain(): Promise<void> {
  server.clock.advance(staleDispatchSeconds - 1);
  await server.dispatch();
  server.clock.advance(1);
  await server.dispatch();
}

describe('an HTTP provider that does not say whether it took a message', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver(504);
  });
  afterEach(() => receiver.close());
  const settings = (idempotent: boolean) => ({
    url: receiver.url,
    headers: { 'Idempotency-Key': '{{ID}}' },
    body: '{{CODE}}',
    idempotent,
  });

  it('may have: the code works, for it proves that the message came', async () => {
    await provide('http', settings(false));
    const id = await start();
    await server.dispatch();
    expect((await client.report(id, receiver.received[0]?.body)).body.data?.status).toBe('verified');
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'verified', error_code: null });
  });

  it('may not have: without proof the record fails, and nobody was asked a second time', async () => {
    await provide('http', settings(false));
    const id = await start();
    await server.dispatch();
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
    expect(receiver.received).toHaveLength(1);
  });

  it('is asked again with the same key and the same code if it knows keys, and then there is no doubt', async () => {
    receiver.answers = [504, 200];
    await provide('http', settings(true));
    const id = await start();
    await server.dispatch();
    const [first, second] = receiver.received;
    expect([second?.headers['idempotency-key'], second?.body]).toEqual([id, first?.body]);
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    expect((await client.report(id, first?.body)).body.data?.status).toBe('verified');
  });

  it('that knows keys and refuses the second time is no less in doubt', async () => {
    receiver.answers = [504, 409];
    await provide('http', settings(true));
    const id = await start();
    await server.dispatch();
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
  });

  it('is not asked again by a process that comes after a crash', async () => {
    await provide('http', settings(false));
    const id = await start();
    const dispatch = await loadDispatch(server.env, id, server.clock.now());
    const [carrier] = await listProviders(server.env);
    if (dispatch === null || carrier === undefined) throw new Error('nothing to dispatch');
    await markBegun(server.env, dispatch, '123456', carrier.id);
    await server.dispatch();
    expect(receiver.received).toHaveLength(0);
    expect((await client.report(id, '654321')).body.errors?.[0]?.code).toBe('code_invalid');
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
    expect(receiver.received).toHaveLength(0);
  });
});

describe('an SMSC', () => {
  it('that loses the connection before it answers leaves the record in doubt', async () => {
    const smsc = await openSmsc({ submitStatus: () => null });
    try {
      await provide('smpp', { host: '127.0.0.1', port: smsc.port, system_id: 'trunkline', timeout_seconds: 2 });
      const id = await start();
      await server.dispatch();
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
      await waitInVain();
      expect(await stateOf(id)).toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
    } finally {
      await closeProviders(server.env);
      await smsc.close();
    }
  });
});

it('ends when the process that was taken for dead comes back and says that the message was sent', async () => {
  const receiver = await startReceiver(504);
  try {
    await provide('http', { url: receiver.url });
    const id = await start();
    const dispatch = await loadDispatch(server.env, id, server.clock.now());
    await server.dispatch();
    const [carrier] = await listProviders(server.env);
    if (dispatch === null || carrier === undefined) throw new Error('nothing to dispatch');
    await markDispatched(server.env, dispatch, { providerId: carrier.id, messageIds: ['m1'] });
    await waitInVain();
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
  } finally {
    await receiver.close();
  }
});

describe('the note that sending begins', () => {
  it('is made by one process only', async () => {
    const id = await start();
    const dispatch = await loadDispatch(server.env, id, server.clock.now());
    if (dispatch === null) throw new Error('nothing to dispatch');
    const provider = '00000000-0000-4000-8000-000000000000';
    const notes = await Promise.allSettled([1, 2, 3].map(() => markBegun(server.env, dispatch, '123456', provider)));
    expect(notes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const note of notes) if (note.status === 'rejected') expect(note.reason).toBeInstanceOf(DeliveryWithdrawn);
  });

  it('is not made for a record that has ended meanwhile, and then nothing is sent', async () => {
    const receiver = await startReceiver(200);
    try {
      await provide('http', { url: receiver.url });
      const id = await start();
      const dispatch = await loadDispatch(server.env, id, server.clock.now());
      server.clock.advance(staleDispatchSeconds);
      if (dispatch === null) throw new Error('nothing to dispatch');
      await expect(markBegun(server.env, dispatch, '123456', dispatch.id)).rejects.toBeInstanceOf(DeliveryWithdrawn);
      await server.dispatch();
      expect(receiver.received).toHaveLength(0);
    } finally {
      await receiver.close();
    }
  });
});
