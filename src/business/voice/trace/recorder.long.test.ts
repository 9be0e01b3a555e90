/** What is kept of a call's messages and decisions. */
import { expect, test } from 'vitest';
import { advanceClock } from '../../../../test/support/environment.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { arrive } from '../inbound/arrive.ts';
import { simulateInbound } from '../simulate.ts';
import { mostEntries } from './call-trace.ts';
import type { RefusedCall } from './entries.ts';
import { ladder } from './ladder.ts';
import { listRefusals, listTraces, readTrace } from './read-traces.ts';

const { house, telephony, voice } = useTelephony();

const carrier = { transport: 'UDP', address: '192.0.2.1', port: 5060 } as const;
const pbx = { transport: 'TCP', address: '2001:db8::7', port: 5080 } as const;
const here = { transport: 'UDP', address: '198.51.100.1', port: 5060 } as const;

const sip = (first: string, callId: string, ...headers: string[]): Buffer =>
  Buffer.from([first, `Call-ID: ${callId}`, ...headers, '', ''].join('\r\n'));

async function routedNumber(columns = {}) {
  const accountId = await telephony.account();
  const trunkId = await telephony.trunk(accountId, { name: 'office' });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: trunkId, ...columns });
  return { accountId, trunkId, number };
}

test('messages of both legs and the reasons are one trace, found by either Call-ID, number and trunk', async () => {
  const { accountId, trunkId, number } = await routedNumber();
  const { recorder } = voice;
  recorder.message('in', sip(`INVITE sip:${number}@h SIP/2.0`, 'leg-a@carrier'), carrier, here);
  recorder.message('out', sip('SIP/2.0 100 Trying', 'leg-a@carrier'), carrier, here);
  const arrived = await arrive(voice, { didNumber: number, srcNumber: '1555', callId: 'leg-a@carrier' });
  if (arrived.refusal !== null) throw new Error('refused');
  const { live } = arrived;
  const legB = live.call.attempts.at(-1)?.callId ?? '';
  recorder.message(
    'out',
    sip('INVITE sip:x@pbx SIP/2.0', legB, 'Authorization: Digest response="deadbeef"'),
    pbx,
    here,
  );
  recorder.message('in', sip('SIP/2.0 200 OK', legB), pbx, here);
  await live.answered(house.clock.now());
  await live.end({ code: 200, reason: 'Bye', initiator: 'origination' }, house.clock.now());
  recorder.message('in', sip('BYE sip:x@h SIP/2.0', 'leg-a@carrier'), carrier, here);
  await recorder.flush();

  for (const search of [{ callId: 'leg-a@carrier' }, { callId: legB }, { number }, { trunkId }, { accountId }]) {
    expect((await listTraces(house.env, search, 5)).map(({ call_id }) => call_id)).toEqual([live.call.id]);
  }
  const trace = await readTrace(house.env, legB);
  expect(trace?.call).toMatchObject({
    state: 'ended',
    disconnect_code: 200,
    trunk_name: 'office',
    leg_call_ids: ['leg-a@carrier', legB],
    leg_sides: ['carrier', 'customer'],
  });
  const lines = ladder(trace?.call.started_at ?? new Date(), trace?.entries ?? []).map((line) => line.slice(13));
  expect(lines).toEqual([
    `A ──▶ │         INVITE sip:${number}@h  (192.0.2.1:5060)`,
    'A ◀── │         100 Trying  (192.0.2.1:5060)',
    '      ·  routed to a single trunk',
    '      ·    priority 1, weight 65535: "office"',
    '      ·  channel: included',
    '      │ ──▶ B  INVITE sip:x@pbx  (TCP [2001:db8::7]:5080)',
    '      │ ◀── B  200 OK  (TCP [2001:db8::7]:5080)',
    'A ──▶ │         BYE sip:x@h  (192.0.2.1:5060)',
  ]);
  expect(JSON.stringify(trace?.entries)).not.toContain('deadbeef');
});

test('a simulated call has reasons, and a refused one its rule and a count', async () => {
  const { accountId, number } = await routedNumber({ blocked_by_staff: true });
  const script = { outcomes: [{ code: 200 }], talk_seconds: 1 };
  const { call } = await simulateInbound(voice, { didNumber: number, srcNumber: '1555' }, script);
  await simulateInbound(voice, { didNumber: number, srcNumber: '1556' }, script);
  await voice.recorder.flush();
  const trace = await readTrace(house.env, call.id);
  expect(trace?.call).toMatchObject({ state: 'ended', refusal: 'number_blocked', disconnect_code: 403 });
  expect(trace?.entries.map(({ text }) => text)).toEqual(['refused with 403: Number is blocked']);
  expect(await listRefusals(house.env, { accountId }, 5)).toMatchObject([
    { rule: 'number_blocked', about: number, count: 2, src_number: '1556', disconnect_code: 403 },
  ]);
});

const scanned: RefusedCall = {
  direction: 'in',
  rule: 'unlisted_source',
  code: 403,
  text: 'Source address belongs to no carrier',
  sourceAddress: '203.0.113.9',
  accountId: null,
  about: null,
  srcNumber: '100',
  dstNumber: '',
  carrierName: null,
  callId: null,
};

test('a scan is one row with a sample; very many sources share one', async () => {
  const { recorder } = voice;
  recorder.message('in', sip('INVITE sip:0@h SIP/2.0', 'scan-0'), carrier, here);
  for (let index = 0; index < 500; index += 1) {
    recorder.refused({ ...scanned, dstNumber: String(index), callId: `scan-${index}` });
    if (index === 250) await recorder.flush();
  }
  await recorder.flush();
  const [row, ...rest] = await listRefusals(house.env, { source: '203.0.113.9' }, 5);
  expect(rest).toEqual([]);
  expect(row).toMatchObject({ count: 500, dst_number: '499', rule: 'unlisted_source' });
  expect(row?.sample).toContain('INVITE sip:0@h');
  for (let index = 0; index < 500; index += 1) {
    recorder.refused({ ...scanned, rule: 'flood', sourceAddress: `198.18.${index >> 8}.${index & 255}` });
  }
  await recorder.flush();
  const flood = await listRefusals(house.env, { rule: 'flood' }, 1_000);
  expect(flood.length).toBeLessThanOrEqual(61);
  expect(flood.reduce((sum, { count }) => sum + Number(count), 0)).toBe(500);
  expect(flood.some(({ source }) => source === 'others')).toBe(true);
});

test('a talkative call keeps its beginning and its end, and counts the rest', async () => {
  const { number } = await routedNumber();
  const { recorder } = voice;
  recorder.message('in', sip(`INVITE sip:${number}@h SIP/2.0`, 'talkative'), carrier, here);
  await arrive(voice, { didNumber: number, srcNumber: '1', callId: 'talkative' });
  for (let index = 0; index < mostEntries; index += 1) {
    recorder.message('in', sip('OPTIONS sip:x SIP/2.0', 'talkative', 'CSeq: 5 OPTIONS'), carrier, here);
  }
  recorder.message('in', sip('BYE sip:x SIP/2.0', 'talkative', 'CSeq: 9 BYE'), carrier, here);
  await recorder.flush();
  const trace = await readTrace(house.env, 'talkative');
  expect(trace?.entries.at(-1)?.text).toContain('BYE sip:x');
  expect(trace?.entries.length).toBeLessThan(mostEntries);
  expect(trace?.call.dropped).toBeGreaterThan(0);
});

test('traces and refusals are deleted after their time', async () => {
  expect((await listTraces(house.env, {}, 1)).length).toBe(1);
  await advanceClock(house.env, 74 * 3600);
  expect(await listTraces(house.env, {}, 1)).toEqual([]);
  expect(await listRefusals(house.env, {}, 1)).toEqual([]);
  const { rows } = await house.env.pool.query('select count(*)::int as count from call_trace_parts');
  expect(rows).toEqual([{ count: 0 }]);
});
