/** Moments with microseconds. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { FixedClock } from '../../../test/support/fixed-clock.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { machineClock } from '../../base/clock.ts';
import { hangUp } from './disconnect-codes.ts';
import { endCallById } from './end-elsewhere.ts';
import { later, Moment, momentOf, readMoment, timestamp } from './moment.ts';
import { simulateInbound } from './simulate.ts';
import { voiceOf } from './voice.ts';

const fine = new Moment(Date.UTC(2020, 2, 5, 11, 5, 33, 879) * 1000 + 559);

test('a moment is written with six digits, and read back the same', () => {
  expect(timestamp(fine)).toBe('2020-03-05T11:05:33.879559+00:00');
  expect(JSON.stringify({ at: fine })).toBe('{"at":"2020-03-05T11:05:33.879559Z"}');
  expect(readMoment('2020-03-05T11:05:33.879559Z')).toEqual(fine);
  expect(readMoment('2020-03-05T11:05:33.879Z').microseconds % 1000).toBe(0);
});

test('a plain date is a moment without a fraction', () => {
  expect(timestamp(new Date('2026-06-15T12:00:00.5Z'))).toBe('2026-06-15T12:00:00.500000+00:00');
});

test('two moments of one millisecond compare by their microseconds, and seconds are added to them', () => {
  expect(fine < later(fine, 0.000001)).toBe(true);
  expect(timestamp(later(fine, 2))).toBe('2020-03-05T11:05:35.879559+00:00');
});

test('a clock that stands still has no fraction', () => {
  expect(timestamp(momentOf(new FixedClock('2026-06-15T12:00:00Z')))).toBe('2026-06-15T12:00:00.000437+00:00');
});

test("the machine's moments never go back, and know microseconds", () => {
  const before = machineClock.now().getTime();
  const moments = Array.from({ length: 20_000 }, () => momentOf(machineClock));
  const after = machineClock.now().getTime();
  expect(moments.every((each) => each.getTime() >= before && each.getTime() <= after)).toBe(true);
  expect(
    moments.every((each, index) => index === 0 || each.microseconds >= (moments[index - 1]?.microseconds ?? 0)),
  ).toBe(true);
  expect(new Set(moments.map(({ microseconds }) => microseconds % 1000)).size).toBeGreaterThan(100);
});

test('the fraction of a call goes through the database into its events and CDR', async () => {
  const { env, clock, close } = await createTestEnvironment();
  const telephony = await createTelephony(env);
  const accountId = await telephony.account({ callEvents: { url: 'http://127.0.0.1:9/events', gzip: false } });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: await telephony.trunk(accountId) });
  const voice = await voiceOf(env);
  const at = new Moment(clock.now().getTime() * 1000 + 123);
  const script = { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: null };
  const { call } = await simulateInbound(voice, { didNumber: number, srcNumber: '15550100', at }, script);
  await endCallById(env, call.id, hangUp, () => later(at, 32.5));
  const { rows } = await env.pool.query<{ body: string }>('select body from call_events order by id');
  expect(JSON.parse(rows.at(-1)?.body ?? '').attributes).toMatchObject({
    time_start: '2026-06-15T12:00:00.000123+00:00',
    time_connect: '2026-06-15T12:00:02.000123+00:00',
    time_end: '2026-06-15T12:00:32.500123+00:00',
    duration: 31,
  });
  const kept = await env.pool.query(`select to_char(time_connect, 'US') as micros from cdrs_in`);
  expect(kept.rows).toEqual([{ micros: '000123' }]);
  await voice.stop();
  await close();
});
