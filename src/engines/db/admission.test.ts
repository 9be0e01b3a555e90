/** How connections are shared out among accounts, the platform, codes and jobs. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Admission, type AdmissionLimits, type Leave } from './admission.ts';
import { ClientPresence, type Lane, type RequestWork } from './work.ts';

const limits: AdmissionLimits = {
  total: 4,
  perAccount: 2,
  platform: 3,
  other: 4,
  requestWaitMs: 60_000,
  otherWaitMs: 60_000,
};
const work = (accountId: string | null, lane: Lane = 'platform', client = new ClientPresence()): RequestWork => ({
  accountId,
  lane,
  client,
  reads: true,
  waitedMs: 0,
  ended: false,
});

/** Enters, and remembers the order in which entrances were granted. */
function gate(changes: Partial<AdmissionLimits> = {}) {
  const admission = new Admission({ ...limits, ...changes });
  const granted: string[] = [];
  const leaves: Record<string, Leave> = {};
  const enter = (name: string, by: RequestWork | null) => {
    const entered = admission.enter(by).then((leave) => {
      granted.push(name);
      leaves[name] = leave;
    });
    // Who still waits at the end of a test would be refused a minute later, in the middle of another file.
    entered.catch(() => undefined);
    return entered;
  };
  onTestFinished(() => admission.close());
  return { admission, granted, leaves, enter };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('connections', () => {
  it('are given to one account up to its share, whatever others leave free', async () => {
    const { admission, granted, leaves, enter } = gate();
    for (const name of ['a1', 'a2', 'a3']) void enter(name, work('a'));
    void enter('b1', work('b'));
    await settled();
    expect([granted, admission.waiting]).toEqual([['a1', 'a2', 'b1'], 1]);
    leaves.b1?.();
    await settled();
    expect(granted).toEqual(['a1', 'a2', 'b1']);
    leaves.a1?.();
    await settled();
    expect(granted).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('are kept from the platform so that codes and jobs find one', async () => {
    const { granted, enter } = gate();
    for (const name of ['p1', 'p2', 'p3', 'p4']) void enter(name, work(name));
    void enter('code', work('a', 'verification'));
    await settled();
    expect(granted).toEqual(['p1', 'p2', 'p3', 'code']);
  });

  it('are kept from jobs so that requests find one', async () => {
    const { granted, enter } = gate({ other: 3 });
    for (const name of ['j1', 'j2', 'j3', 'j4']) void enter(name, null);
    void enter('p1', work('a'));
    await settled();
    expect(granted).toEqual(['j1', 'j2', 'j3', 'p1']);
  });

  it('that come free go to jobs first, then to codes, then to the platform in order of arrival', async () => {
    const { granted, leaves, enter } = gate({ platform: 4, perAccount: 4 });
    for (const name of ['1', '2', '3', '4']) void enter(name, work('a'));
    await settled();
    const waiting = [
      enter('p1', work('b')),
      enter('p2', work('c')),
      enter('code', work('d', 'verification')),
      enter('job', null),
    ];
    await settled();
    for (const name of ['1', '2', '3', '4']) leaves[name]?.();
    await Promise.all(waiting);
    expect(granted.slice(4)).toEqual(['job', 'code', 'p1', 'p2']);
  });

  it('go to the account that holds the fewest, so one that keeps asking does not keep others waiting', async () => {
    const { granted, leaves, enter } = gate({ total: 3, perAccount: 3 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void enter(name, work('a'));
    void enter('b1', work('b'));
    await settled();
    leaves.a1?.();
    await settled();
    leaves.a2?.();
    await settled();
    expect(granted).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
  });

  it('are not refused for another’s sake: a request waits on while they come free', async () => {
    const { admission } = gate({ total: 1, requestWaitMs: 100 });
    let leave = await admission.enter(null);
    const began = performance.now();
    let refusedAfter = 0;
    const request = admission.enter(work('a')).catch(() => {
      refusedAfter = performance.now() - began;
    });
    // Jobs go first, so they come free all the time, and none of them for this request.
    while (refusedAfter === 0) {
      const next = admission.enter(null);
      await new Promise((resolve) => setTimeout(resolve, 5));
      leave();
      leave = await next;
    }
    await request;
    leave();
    expect(refusedAfter).toBeGreaterThan(400);
  });

  it('are refused to a request that has waited long enough, all its statements together', async () => {
    const { admission, enter } = gate({ total: 1, requestWaitMs: 20 });
    await enter('holder', null);
    const patient = work('a');
    await expect(admission.enter(patient)).rejects.toThrow('no database connection became free in time');
    expect(patient.waitedMs).toBeGreaterThan(0);
    await expect(admission.enter({ ...patient, waitedMs: 20 })).rejects.toThrow('became free in time');
    expect(admission.waiting).toBe(0);
  });

  it('are not kept for a client that has gone', async () => {
    const { admission, enter } = gate({ total: 1 });
    await enter('holder', null);
    const gone = new ClientPresence();
    const waiting = admission.enter(work('a', 'platform', gone));
    gone.leave();
    await expect(waiting).rejects.toThrow('the client has gone');
    await expect(admission.enter(work('a', 'platform', gone))).rejects.toThrow('the client has gone');
  });

  it('are free again once, however often they are given back', async () => {
    const { granted, leaves, enter } = gate({ total: 1 });
    await enter('1', null);
    void enter('2', null);
    void enter('3', null);
    leaves['1']?.();
    leaves['1']?.();
    await settled();
    expect(granted).toEqual(['1', '2']);
  });
});
