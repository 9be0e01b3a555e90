/** What is kept of how a call sounded: which problem it has, how long a side was silent, a course of bounded length. */
import { expect, test } from 'vitest';
import type { HeardMedia } from '../../engines/media/media-engine.ts';
import { type CallSound, soundColumns, withSound } from './sound.ts';

const start = new Date('2026-06-15T12:00:00Z');

const heard = (packets: number, more: Partial<HeardMedia> = {}): HeardMedia => ({
  ...{ packets, bytes: 172 * packets, lost: 0, jitterMs: 2.4, roundTripMs: null, mos: packets < 50 ? null : 4.4123 },
  ...{ source: '192.0.2.1:4000', dropped: {}, codec: 'PCMU', encryption: 'disabled', course: [] },
  ...more,
});

const soundOf = (
  caller: HeardMedia | null,
  called: HeardMedia | null,
  seconds = 60,
  connectedAt: Date | null = start,
) => {
  const legs = [
    ...(caller ? [{ name: 'caller', heard: caller }] : []),
    ...(called ? [{ name: 'called side', heard: called }] : []),
  ];
  const call: { timeConnect: Date | null; sound?: CallSound | null } = { timeConnect: connectedAt };
  return withSound(call, { legs }, new Date(start.getTime() + seconds * 1000)).sound;
};

test.each<[string | null, HeardMedia, HeardMedia, number?]>([
  [null, heard(500), heard(400)],
  [null, heard(500), heard(1)],
  ['called_silent', heard(500), heard(0)],
  ['caller_silent', heard(0), heard(500)],
  ['called_address', heard(500), heard(0, { dropped: { address: 400, rate: 3 } })],
  ['called_encryption', heard(500), heard(0, { dropped: { authentication: 9 } })],
  ['caller_payload', heard(0, { dropped: { payload: 9 } }), heard(500)],
  ['caller_refused', heard(0, { dropped: { refused: 9 } }), heard(500)],
  ['both_silent', heard(0), heard(0), 5],
  ['called_address', heard(0), heard(0, { dropped: { address: 1 } }), 5],
  // Too short to tell.
  [null, heard(0), heard(0), 4],
  [null, heard(49), heard(0)],
])('problem %s', (problem, caller, called, seconds) => {
  expect(soundOf(caller, called, seconds)?.problem).toBe(problem);
});

test('nothing is kept of a call that was not answered, or of which one side never had media', () => {
  expect(soundOf(heard(9), heard(9), 60, null)).toBeUndefined();
  expect(soundOf(heard(9), null)).toBeNull();
  expect(new Set(Object.values(soundColumns(null)))).toEqual(new Set([null]));
});

test('addresses are not kept, and columns have what is added up over calls', () => {
  const sound = soundOf(heard(75, { lost: 25 }), heard(300, { roundTripMs: 31.6 })) ?? null;
  expect(JSON.stringify(sound)).not.toContain('192.0.2.1');
  expect(sound?.called).toMatchObject({ jitter_ms: 2, round_trip_ms: 32, mos: 4.41 });
  expect(soundColumns(sound)).toMatchObject({
    ...{ caller_mos: '4.41', called_mos: '4.41', caller_lost_percent: '25.00', called_lost_percent: '0.00' },
    sound_problem: null,
  });
});

test('a side is silent as long as it sends nothing while the other does; courses end together', () => {
  const point = (second: number, packets: number) => ({ second, packets, lost: 0, jitterMs: 0, mos: null });
  const course = [point(5, 250), point(10, 0), point(15, 0), point(20, 0), point(25, 250)];
  const other = [point(5, 0), point(10, 250), point(15, 250), point(20, 250)];
  const sound = soundOf(heard(500, { course }), heard(750, { course: other }));
  expect([sound?.caller.silent_seconds, sound?.called.silent_seconds]).toEqual([10, 0]);
});

test('a long course is kept in sixty points: losses of each, and the worst of the rest', () => {
  const course = Array.from({ length: 720 }, (_, at) => ({
    ...{ second: 5 * (at + 1), packets: 250, lost: 1, jitterMs: at % 12 },
    mos: at % 12 === 7 ? 3.2 : 4.4,
  }));
  const kept = soundOf(heard(9_000, { course }), heard(9_000))?.caller.course ?? [];
  expect(kept).toHaveLength(60);
  expect(kept[0]).toEqual({ second: 60, lost: 12, jitter_ms: 11, mos: 3.2 });
  expect(kept.at(-1)?.second).toBe(3_600);
});
