/** How many parts a text message has. */
import { describe, expect, it } from 'vitest';
import { messageParts } from './message-parts.ts';

const ucs2Text = (octets: Buffer) => Buffer.from(octets).swap16().toString('utf16le');

describe('seven-bit text', () => {
  it('is one octet per septet, with the alphabet of GSM 03.38', () => {
    const { dataCoding, parts, concatenated } = messageParts('@£Δ_ A{z€', 1);
    expect({ dataCoding, concatenated }).toEqual({ dataCoding: 0, concatenated: false });
    expect(parts[0]?.toString('hex')).toBe('000110112041' + '1b28' + '7a' + '1b65');
  });

  it('fits 160 characters in one message and is cut at 153 beyond', () => {
    expect(messageParts('a'.repeat(160), 1).parts).toHaveLength(1);
    const { parts, concatenated } = messageParts('a'.repeat(161), 0x1ff);
    expect(concatenated).toBe(true);
    expect(parts.map((part) => part.length)).toEqual([6 + 153, 6 + 8]);
    expect(parts[0]?.subarray(0, 6).toString('hex')).toBe('050003ff0201');
    expect(parts[1]?.subarray(0, 6).toString('hex')).toBe('050003ff0202');
  });

  it('does not tear an escape pair apart', () => {
    const { parts } = messageParts(`${'a'.repeat(152)}€${'b'.repeat(20)}`, 1);
    expect(parts[0]).toHaveLength(6 + 152);
    expect(parts[1]?.subarray(6, 8).toString('hex')).toBe('1b65');
  });
});

describe('other text', () => {
  it('is UCS-2, big-endian', () => {
    const { dataCoding, parts } = messageParts('Код 12', 1);
    expect(dataCoding).toBe(8);
    expect(parts[0]?.toString('hex')).toBe('041a043e0434002000310032');
  });

  it('fits 70 units in one message and is cut at 67 beyond', () => {
    expect(messageParts('я'.repeat(70), 1).parts).toHaveLength(1);
    expect(messageParts('я'.repeat(71), 1).parts.map((part) => part.length)).toEqual([6 + 134, 6 + 8]);
  });

  it('does not tear a surrogate pair apart', () => {
    const { parts } = messageParts(`${'я'.repeat(66)}😀${'я'.repeat(10)}`, 1);
    expect(parts[0]).toHaveLength(6 + 132);
    expect(ucs2Text(parts[1]?.subarray(6) ?? Buffer.alloc(0))).toBe(`😀${'я'.repeat(10)}`);
  });
});
