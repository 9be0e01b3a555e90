import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../src/verification/fault-points.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

/** The process is killed between every two steps of start, dispatch and report; another takes over. */
const startFaults: FaultPoint[] = ['start.decided', 'start.planned', 'start.committed'];
const dispatchFaults: FaultPoint[] = [
  'dispatch.prepared',
  'dispatch.begun',
  'dispatch.sent',
  'dispatch.marked',
  'dispatch.committed',
];
const reportFaults: FaultPoint[] = ['report.matched', 'report.verified', 'report.charged', 'report.committed'];

const carriers = ['inbox', 'http with idempotency keys', 'plain http', 'smpp'] as const;

describe.each(carriers)('%s', (delivery) => {
  let world: World;
  /** Answers all the time; the process that dies is another one. */
  let survivor: Running;
  let last = 0;
  const fresh = () => `49151${String(++last).padStart(8, '0')}`;
  const charges = delivery !== 'inbox';
  const fee = charges ? ['-0.0500'] : [];

  beforeAll(async () => {
    world = await openVerificationWorld(delivery);
    survivor = await world.start({ TRUNKLINE_ROLES: 'api' });
  });
  afterAll(() => world.close());

  async function killedAt(point: FaultPoint, act: (running: Running) => Promise<unknown>): Promise<void> {
    const doomed = await world.start({ TRUNKLINE_FAULT_POINT: point, TRUNKLINE_ROLES: 'api' });
    // It dies before it can answer.
    await act(doomed).catch(() => undefined);
    expect(await doomed.process.ended()).toBe('SIGKILL');
  }
  const recordsOf = (destination: string) =>
    world.query('select * from verifications where destination = $1 order by seq', [destination]);

  /** Starts, lets a worker die at the point, and another take over until the record has settled. */
  async function takenOverAt(point: FaultPoint, destination: string): Promise<string> {
    const id = (await survivor.client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
    // It finds the job as soon as it starts, perhaps before it says that it is ready.
    const doomed = await world.spawn({ TRUNKLINE_FAULT_POINT: point, TRUNKLINE_ROLES: 'worker' });
    expect(await doomed.ended()).toBe('SIGKILL');
    const { process } = await world.start({ TRUNKLINE_ROLES: 'worker' });
    expect(await world.settled(id)).toMatchObject({ status: 'pending' });
    await process.stop();
    return id;
  }

  describe('dispatch', () => {
    const knowsKeys = delivery === 'http with idempotency keys';
    const points = dispatchFaults.filter((point) => {
      // In the sandbox one statement is the whole dispatch: there is a before and an after.
      if (delivery === 'inbox') return point === 'dispatch.prepared' || point === 'dispatch.committed';
      return point !== 'dispatch.begun' || knowsKeys;
    });
    it.each(points)('killed at %s: one code is sent, and it works', async (point) => {
      const destination = fresh();
      const id = await takenOverAt(point, destination);
      const messages = await world.messages(destination);
      expect(messages).toHaveLength(1);
      expect((await survivor.client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
      expect(await world.fees(id)).toEqual(fee);
    });

    if (delivery === 'plain http' || delivery === 'smpp') {
      it('killed between the note that sending begins and the sending: nothing is sent twice, and the record is seen to fail', async () => {
        const destination = fresh();
        const id = await takenOverAt('dispatch.begun', destination);
        expect(await world.messages(destination)).toEqual([]);
        // The two minutes in which a code that did go out could still prove itself.
        await world.query(
          `update graphile_worker._private_jobs set run_at = now()
           where payload->>'verification_id' = $1 and run_at > now()`,
          [id],
        );
        const { process } = await world.start({ TRUNKLINE_ROLES: 'worker' });
        await expect.poll(async () => (await survivor.client.status(id)).body.data?.error_code).toBe('stale_dispatch');
        await process.stop();
        expect(await world.messages(destination)).toEqual([]);
        expect(await world.fees(id)).toEqual([]);
      });
    }
  });

  describe('the process that has accepted the start and sends its code', () => {
    const points: FaultPoint[] = ['start.committed', 'dispatch.prepared', 'dispatch.committed'];
    // In the sandbox the message is stored with the start: a code is prepared before there is a record.
    const reached = points.filter((point) => delivery !== 'inbox' || point !== 'dispatch.prepared');
    it.each(reached)('killed at %s: another one takes over, one code is sent, and it works', async (point) => {
      const destination = fresh();
      const doomed = await world.start({ TRUNKLINE_FAULT_POINT: point });
      await doomed.client.start({ destination, delivery_method: 'sms' }).catch(() => undefined);
      expect(await doomed.process.ended()).toBe('SIGKILL');
      const id = String((await recordsOf(destination))[0]?.id);
      const { process } = await world.start({ TRUNKLINE_ROLES: 'worker' });
      expect(await world.settled(id)).toMatchObject({ status: 'pending' });
      await process.stop();
      const messages = await world.messages(destination);
      expect(messages).toHaveLength(1);
      expect((await survivor.client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
      expect(await world.fees(id)).toEqual(fee);
    });
  });

  // Start and report do not meet the carrier: one that charges is enough.
  if (delivery === 'plain http' || delivery === 'smpp') return;
  describe('with a worker that lives', () => {
    beforeAll(async () => {
      await world.start({ TRUNKLINE_ROLES: 'worker' });
    });

    it.each(startFaults)('killed at %s: a start is whole or not at all', async (point) => {
      const destination = fresh();
      await killedAt(point, ({ client }) => client.start({ destination, delivery_method: 'sms' }));
      const committed = point === 'start.committed';
      expect(await recordsOf(destination)).toHaveLength(committed ? 1 : 0);

      const again = await survivor.client.start({ destination, delivery_method: 'sms' });
      expect(again.status).toBe(committed ? 429 : 201);
      const id = String((await recordsOf(destination))[0]?.id);
      await world.settled(id);
      const messages = await world.messages(destination);
      expect(messages).toHaveLength(1);
      expect((await survivor.client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
      expect(await world.fees(id)).toEqual(fee);
    });

    it('killed at report.counted: a wrong code is counted once, and the right one still works', async () => {
      const destination = fresh();
      const id = (await survivor.client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
      await world.settled(id);
      await killedAt('report.counted', ({ client }) => client.report(id, 'wrong'));
      expect((await recordsOf(destination))[0]).toMatchObject({ status: 'pending', wrong_reports: 1 });
      const code = (await world.messages(destination))[0]?.code;
      expect((await survivor.client.report(id, code)).body.data?.status).toBe('verified');
      expect(await world.fees(id)).toEqual(fee);
    });

    // Where nothing is charged, one statement is the whole report.
    const reports = charges ? reportFaults : reportFaults.filter((point) => point === 'report.committed');
    it.each(reports)('killed at %s: verified and charged are one fact', async (point) => {
      const destination = fresh();
      const id = (await survivor.client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
      await world.settled(id);
      const code = (await world.messages(destination))[0]?.code;
      await killedAt(point, ({ client }) => client.report(id, code));

      const committed = point === 'report.committed';
      expect((await recordsOf(destination))[0]?.status).toBe(committed ? 'verified' : 'pending');
      expect(await world.fees(id)).toEqual(committed ? fee : []);
      expect((await survivor.client.report(id, code)).body.data?.status).toBe('verified');
      expect(await world.fees(id)).toEqual(fee);
    });
  });
});
