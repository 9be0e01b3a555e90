/**
 * The process is killed between every two steps of start, dispatch and report; another takes over. Starting a process
 * is what takes time, so all that die while a code is sent die first, one after another, and one process takes over
 * from all.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../src/interfaces/verification/fault-points.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

const startFaults: FaultPoint[] = ['start.decided', 'start.planned', 'start.committed'];
const dispatchFaults: FaultPoint[] = [
  'dispatch.prepared',
  'dispatch.begun',
  'dispatch.sent',
  'dispatch.marked',
  'dispatch.committed',
];
const reportFaults: FaultPoint[] = ['report.matched', 'report.committed'];

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

  /**
   * Jobs of a verification whose process was killed wait for the one that takes over, not for the next that is to die.
   */
  const parked = '2100-01-01';
  const park = (id: string) =>
    world.query(`update jobs set run_at = $2 where payload->>'verification_id' = $1 and run_at <= now()`, [id, parked]);
  /** Verifications whose process died at the point. */
  const left: { point: FaultPoint; id: string }[] = [];

  const knowsKeys = delivery === 'http with idempotency keys';
  const doubtful = delivery === 'plain http' || delivery === 'smpp';
  /** Without idempotency keys nobody knows whether a message that was begun has been sent. */
  const endsInDoubt = (point: FaultPoint) => point === 'dispatch.begun' && !knowsKeys;

  describe('a worker that sends a code', () => {
    // In the sandbox one statement is the whole dispatch: there is a before and an after.
    const points = dispatchFaults.filter(
      (point) => delivery !== 'inbox' || point === 'dispatch.prepared' || point === 'dispatch.committed',
    );
    it.each(points)('is killed at %s', async (point) => {
      const start = { destination: fresh(), delivery_method: 'sms' };
      const id = (await survivor.client.start(start)).body.data?.id ?? '';
      // It finds the job as soon as it starts, perhaps before it says that it is ready.
      const doomed = await world.spawn({ TRUNKLINE_FAULT_POINT: point, TRUNKLINE_ROLES: 'worker' });
      expect(await doomed.ended()).toBe('SIGKILL');
      await park(id);
      left.push({ point, id });
    });
  });

  const killedWhileAccepting = () => {
    const points: FaultPoint[] = ['start.committed', 'dispatch.prepared', 'dispatch.committed'];
    // In the sandbox the message is stored with the start: a code is prepared before there is a record.
    const reached = points.filter((point) => delivery !== 'inbox' || point !== 'dispatch.prepared');
    it.each(reached)('is killed at %s', async (point) => {
      const destination = fresh();
      const doomed = await world.start({ TRUNKLINE_FAULT_POINT: point });
      await doomed.client.start({ destination, delivery_method: 'sms' }).catch(() => undefined);
      expect(await doomed.process.ended()).toBe('SIGKILL');
      const id = String((await recordsOf(destination))[0]?.id);
      await park(id);
      left.push({ point, id });
    });
  };
  // It meets a carrier as the worker above does; one carrier is enough.
  if (!doubtful) describe('the process that has accepted the start and sends its code', killedWhileAccepting);

  it('another process takes over: one code is sent for each, and it works; what may have been sent is not sent again', async () => {
    await world.query('update jobs set run_at = now() where run_at = $1', [parked]);
    await world.start({ TRUNKLINE_ROLES: 'worker' });
    expect(left).toHaveLength({ inbox: 4, 'http with idempotency keys': 8, 'plain http': 5, smpp: 5 }[delivery]);
    const due = `select 1 from jobs where payload->>'verification_id' = any ($1) and run_at <= now()`;
    await expect.poll(() => world.query(due, [left.map(({ id }) => id)])).toEqual([]);
    for (const { point, id } of left) {
      const { status, destination } = await world.settled(id);
      const messages = await world.messages(String(destination));
      expect([point, status, messages.length]).toEqual([point, 'pending', endsInDoubt(point) ? 0 : 1]);
      if (endsInDoubt(point)) continue;
      expect((await survivor.client.report(id, messages[0]?.code)).body.data?.status).toBe('verified');
      expect([point, await world.fees(id)]).toEqual([point, fee]);
    }
  });

  const failsInDoubt = async () => {
    const id = left.find(({ point }) => point === 'dispatch.begun')?.id ?? '';
    // The two minutes in which a code that did go out could still prove itself.
    await world.query(
      `update jobs set run_at = now()
       where payload->>'verification_id' = $1 and run_at > now()`,
      [id],
    );
    await expect.poll(async () => (await survivor.client.status(id)).body.data?.error_code).toBe('stale_dispatch');
    const [record] = await world.query('select destination from verifications where id = $1', [id]);
    expect(await world.messages(String(record?.destination))).toEqual([]);
    expect(await world.fees(id)).toEqual([]);
  };
  if (doubtful) it('a record in doubt is seen to fail, and costs nothing', failsInDoubt);

  // Start and report do not meet the carrier: one that charges is enough.
  if (doubtful) return;
  describe('with a worker that lives', () => {
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

    it.each(reportFaults)('killed at %s: verified and charged are one fact', async (point) => {
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
