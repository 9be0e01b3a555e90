import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentName } from '../../src/environment.ts';
import type { FaultPoint } from '../../src/verification/fault-points.ts';
import type { Answer } from '../support/verification-client.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

/** The process is killed between every two steps of start, dispatch and report; another takes over. */
const START: FaultPoint[] = ['start.decided', 'start.inserted', 'start.queued', 'start.committed'];
const DISPATCH: FaultPoint[] = ['dispatch.claimed', 'dispatch.sent', 'dispatch.marked', 'dispatch.committed'];
const REPORT: FaultPoint[] = ['report.matched', 'report.verified', 'report.charged', 'report.committed'];

describe.each<EnvironmentName>(['sandbox', 'production'])('%s', (name) => {
  let world: World;
  let last = 0;
  const fresh = () => `49151${String(++last).padStart(8, '0')}`;
  const fee = name === 'production' ? ['-0.0500'] : [];

  beforeAll(async () => {
    world = await openVerificationWorld(name);
  });
  afterAll(() => world.close());

  /** Null when the process died before it answered. */
  const ask = (answer: Promise<Answer>): Promise<Answer | null> => answer.catch(() => null);

  async function killedAt(point: FaultPoint, act: (running: Running) => Promise<unknown>): Promise<void> {
    const doomed = await world.start({ TRUNKLINE_FAULT_POINT: point });
    await act(doomed);
    expect(await doomed.process.ended()).toBe('SIGKILL');
  }
  const recordsOf = (destination: string) =>
    world.query('select * from verifications where destination = $1 order by seq', [destination]);

  it.each(START)('killed at %s: a start is whole or not at all', async (point) => {
    const destination = fresh();
    await killedAt(point, ({ client }) => ask(client.start({ destination, delivery_method: 'sms' })));
    const committed = point === 'start.committed';
    expect(await recordsOf(destination)).toHaveLength(committed ? 1 : 0);

    const { client, process } = await world.start();
    const again = await client.start({ destination, delivery_method: 'sms' });
    expect(again.status).toBe(committed ? 429 : 201);
    const [record] = await recordsOf(destination);
    const id = String(record?.id);
    await world.settled(id);
    const messages = await world.messages(destination);
    expect(messages.map((message) => message.verificationId)).toEqual([id]);
    expect((await client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
    expect(await world.fees(id)).toEqual(fee);
    await process.stop();
  });

  // In the sandbox sending is part of the transaction, so nothing is claimed before it.
  it.each(DISPATCH.filter((point) => name === 'production' || point !== 'dispatch.claimed'))(
    'killed at %s: no code is sent twice, and one that was sent works',
    async (point) => {
      const destination = fresh();
      await killedAt(point, ({ client }) => ask(client.start({ destination, delivery_method: 'sms' })));
      const { client, process } = await world.start();
      const [record] = await recordsOf(destination);
      const id = String(record?.id);
      expect(await world.settled(id)).toMatchObject({ status: 'pending' });
      const messages = await world.messages(destination);
      // Killed after it was noted that sending begins and before anything left: nobody can know, so nothing is sent.
      expect(messages).toHaveLength(point === 'dispatch.claimed' ? 0 : 1);
      if (point !== 'dispatch.claimed') {
        expect((await client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
        expect(await world.fees(id)).toEqual(fee);
      }
      await process.stop();
    },
  );

  it.each(REPORT)('killed at %s: verified and charged are one fact', async (point) => {
    const destination = fresh();
    const first = await world.start();
    const id = (await first.client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
    await world.settled(id);
    const code = (await world.messages(destination))[0]?.code;
    await first.process.stop();
    await killedAt(point, ({ client }) => ask(client.report(id, code)));

    const committed = point === 'report.committed';
    expect((await recordsOf(destination))[0]?.status).toBe(committed ? 'verified' : 'pending');
    expect(await world.fees(id)).toEqual(committed ? fee : []);

    const { client, process } = await world.start();
    expect((await client.report(id, code)).body.data?.status).toBe('verified');
    expect(await world.fees(id)).toEqual(fee);
    await process.stop();
  });
});
