/** What is heard in RTP packets: their order, losses, tones; WAV files. */
import { describe, expect, it } from 'vitest';
import { encodeMuLaw } from './g711.ts';
import { HeardAudio } from './heard-audio.ts';
import type { RtpPacket } from './rtp.ts';
import { formatTelephoneEvent, readTelephoneEvent } from './telephone-event.ts';
import { levelOf, toneFrames, toneOf } from './tone.ts';
import { readWav, WavError, wavOf, wavOfSamples } from './wav.ts';

const packet = (timestamp: number, payload: Uint8Array, given: Partial<RtpPacket> = {}): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequence: 0,
  timestamp: timestamp >>> 0,
  ssrc: 1,
  payload,
  ...given,
});
/** Samples that µ-law keeps exactly. */
const [one, two, three] = [132, 260, 396].map((sample) => encodeMuLaw(sample));
const frame = (byte = 0) => new Uint8Array(2).fill(byte);

function heard(...packets: RtpPacket[]) {
  const keys: string[] = [];
  const audio = new HeardAudio(
    () => 101,
    (key) => keys.push(key),
  );
  for (const each of packets) audio.receive(each);
  return { samples: [...audio.samples], keys, packets: audio.packets };
}

describe('what is heard', () => {
  it('is in the order of timestamps, with silence for what was lost', () => {
    const { samples } = heard(packet(100, frame(one)), packet(106, frame(three)), packet(102, frame(two)));
    expect(samples).toEqual([132, 132, 260, 260, 0, 0, 396, 396]);
  });

  it('goes on over the highest timestamp', () => {
    const { samples } = heard(packet(0xffffffff, frame(one)), packet(1, frame(two)));
    expect(samples).toEqual([132, 132, 260, 260]);
  });

  it('of a second sender follows that of the first', () => {
    const { samples } = heard(packet(7, frame(one)), packet(90_000, frame(two), { ssrc: 2 }));
    expect(samples).toEqual([132, 132, 260, 260]);
  });

  it('does not grow with a forged timestamp or an unknown codec', () => {
    const { samples, packets } = heard(
      packet(0, frame(one)),
      packet(0x7fff0000, frame(two)),
      packet(2, frame(two), { payloadType: 18 }),
    );
    expect([samples, packets]).toEqual([[132, 132], 2]);
  });

  it('has every key once, however often its packets are sent', () => {
    const key = (name: string, timestamp: number, isEnd: boolean) =>
      packet(timestamp, formatTelephoneEvent({ key: name, isEnd, duration: 160 }), { payloadType: 101 });
    expect(heard(key('5', 0, false), key('5', 0, true), key('5', 0, true), key('5', 900, true)).keys).toEqual([
      '5',
      '5',
    ]);
  });
});

it('reads no key from events that are none', () => {
  expect(readTelephoneEvent(Uint8Array.of(16, 0, 0, 1))).toBeNull();
  expect(readTelephoneEvent(Uint8Array.of(1, 0))).toBeNull();
  expect(readTelephoneEvent(Uint8Array.of(11, 0x80, 3, 32))).toEqual({ key: '#', isEnd: true, duration: 800 });
});

const sine = (hertz: number, amplitude = 8000) =>
  Int16Array.from({ length: 8000 }, (_, at) => Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / 8000)));

describe('a tone', () => {
  it.each([100, 440, 445, 1000, 1004, 2600, 3400])('of %i Hz is recognised', (hertz) => {
    expect(Math.abs((toneOf(sine(hertz)) ?? 0) - hertz)).toBeLessThanOrEqual(5);
  });

  it('is told from silence, noise and two tones', () => {
    let seed = 7;
    const noise = Int16Array.from({ length: 8000 }, () => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return (seed >> 15) & 0x3fff;
    });
    const high = sine(1209);
    const both = sine(697).map((sample, at) => sample + (high[at] ?? 0));
    expect([toneOf(new Int16Array(8000)), toneOf(noise), toneOf(both), toneOf(sine(440, 20))]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('is played without a break between frames', () => {
    const frames = toneFrames(440);
    const audio = Buffer.concat(Array.from({ length: 50 }, () => frames.next().value));
    expect(toneOf(readWav(wavOf(audio)))).toBe(440);
  });

  it('has its level in decibels of full scale', () => {
    expect(levelOf(sine(1000, 32_767))).toBeCloseTo(-3, 1);
    expect(levelOf(new Int16Array(10))).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a WAV file', () => {
  const written = wavOfSamples(Int16Array.of(1, -2, 32_767));

  it('is read as it was written, also behind chunks that nobody needs', () => {
    expect([...readWav(written)]).toEqual([1, -2, 32_767]);
    const list = Buffer.concat([Buffer.from('LIST'), Buffer.from([3, 0, 0, 0]), Buffer.from('abc\0')]);
    expect([...readWav(Buffer.concat([written.subarray(0, 12), list, written.subarray(12)]))]).toEqual([1, -2, 32_767]);
  });

  it.each([
    ['text', Buffer.from('no WAV at all, but long enough')],
    ['two channels', Buffer.from(written).fill(2, 22, 23)],
    ['another rate', Buffer.from(written).fill(0, 25, 26)],
    ['8-bit samples', Buffer.from(written).fill(8, 34, 35)],
  ])('that is %s is refused with a reason', (_what, file) => {
    expect(() => readWav(file)).toThrow(WavError);
  });
});
