/** µ-law and A-law. */
import { describe, expect, it } from 'vitest';
import { decodeALaw, decodeMuLaw, encodeMuLaw, muLawSilence, muLawToALaw } from './g711.ts';

const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('µ-law', () => {
  // G.711 counts 14-bit magnitudes: (2·step + 33)·2^segment − 33; a 16-bit sample is four times that.
  it('decodes every byte to the value of its segment and step, all bits inverted', () => {
    const expected = [...allBytes].map((byte) => {
      const bits = 255 - byte;
      const magnitude = 4 * ((2 * (bits % 16) + 33) * 2 ** (Math.floor(bits / 16) % 8) - 33);
      return bits >= 128 ? 0 - magnitude : magnitude;
    });
    expect([...decodeMuLaw(allBytes)]).toEqual(expected);
  });

  it('encodes the value of every byte to that byte; a negative zero is silence as well', () => {
    const samples = [...decodeMuLaw(allBytes)];
    expect(samples.map(encodeMuLaw)).toEqual([...allBytes].map((byte) => (byte === 0x7f ? muLawSilence : byte)));
  });

  it('encodes every sample with the sign kept and at most half a step of error', () => {
    for (let sample = -32_635; sample <= 32_635; sample += 1) {
      const byte = encodeMuLaw(sample);
      const [encoded = Number.NaN] = decodeMuLaw(Uint8Array.of(byte));
      const halfStep = 4 * 2 ** (Math.floor((255 - byte) / 16) % 8);
      if (Math.abs(encoded - sample) > halfStep || encoded * sample < 0) expect.fail(`${sample} became ${encoded}`);
    }
  });

  it.each([
    [0, 0xff],
    [32_767, 0x80],
    [-32_768, 0x00],
    [1000, 0xce],
    [-1000, 0x4e],
  ])('encodes %i as %i', (sample, byte) => {
    expect(encodeMuLaw(sample)).toBe(byte);
  });
});

describe('A-law', () => {
  // 13-bit magnitudes: 2·step + 1 in the first segment, else (2·step + 33)·2^(segment − 1). A 16-bit sample is eight
  // times that.
  it('decodes every byte to the value of its segment and step, every second bit inverted', () => {
    const expected = [...allBytes].map((byte) => {
      const bits = byte ^ 0b01010101;
      const [segment, step] = [Math.floor(bits / 16) % 8, bits % 16];
      const magnitude = 8 * (segment === 0 ? 2 * step + 1 : (2 * step + 33) * 2 ** (segment - 1));
      return bits >= 128 ? magnitude : -magnitude;
    });
    expect([...decodeALaw(allBytes)]).toEqual(expected);
  });

  it('is made of µ-law with the sign kept and at most half a step of error', () => {
    const before = decodeMuLaw(allBytes);
    const after = decodeALaw(muLawToALaw(allBytes));
    for (const [byte, sample] of before.entries()) {
      const converted = after[byte] ?? Number.NaN;
      expect(converted > 0, `${byte}`).toBe(byte >= 128);
      const halfStep = Math.max(8, 2 ** (Math.floor(Math.log2(Math.abs(converted))) - 5));
      expect(Math.abs(converted - sample), `${byte}`).toBeLessThanOrEqual(halfStep);
    }
  });

  it('is made of µ-law without changing what is louder, and alike above and below zero', () => {
    // From silence to the loudest.
    const positive = [...decodeALaw(muLawToALaw(allBytes.slice(128).reverse()))];
    expect(positive).toEqual([...positive].sort((a, b) => a - b));
    expect([...decodeALaw(muLawToALaw(allBytes.slice(0, 128).reverse()))]).toEqual(positive.map((sample) => -sample));
    expect(positive.slice(0, 8)).toEqual([8, 8, 24, 24, 40, 40, 56, 56]);
  });

  it.each([
    ['silence', 0xff, 0xd5],
    ['the loudest', 0x80, 0xaa],
    ['the loudest below zero', 0x00, 0x2a],
  ])('has its own byte for %s', (_name, muLaw, aLaw) => {
    expect([...muLawToALaw(Uint8Array.of(muLaw))]).toEqual([aLaw]);
  });
});
