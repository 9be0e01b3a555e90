/** Bencode: what is written is read back, and nothing that is damaged or too large is taken for an answer. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { bdecode, bencode } from './bencode.ts';

const read = (text: string) => bdecode(Buffer.from(text, 'latin1'));

test('what is written is read back, bytes beyond ASCII too', () => {
  const command = { command: 'offer', sdp: 'caf\u00e9\r\n', flags: ['strict source', ''], port: -7, more: { a: [] } };
  expect(bencode(command)).toBe(
    'd7:command5:offer3:sdp6:caf\u00e9\r\n5:flagsl13:strict source0:e4:porti-7e4:mored1:aleee',
  );
  expect(read(bencode(command))).toEqual(command);
});

test.each([
  '',
  'd',
  'd3:key',
  '5:cut',
  '-1:x',
  'i1',
  'ie',
  'i1.5e',
  'i99999999999999999999e',
  'x',
  'dle',
  'di1ei2ee',
  'i1ei2e',
  'l'.repeat(50),
  `l${'i1e'.repeat(60_000)}e`,
])('%s is no answer', (text) => {
  expect(() => read(text)).toThrow(SyntaxError);
});

test('a member cannot change what all dictionaries have', () => {
  expect(read('d9:__proto__d6:result2:okee')).not.toHaveProperty('result');
});

test('damaged answers are refused, whatever was damaged', () => {
  const whole = Buffer.from(
    bencode({ result: 'ok', tags: { a: { medias: [{ index: 1, type: 'audio' }] } } }),
    'latin1',
  );
  for (let round = 0; round < 2_000; round++) {
    const damaged = Buffer.from(whole);
    const [at, byte] = [randomInt(whole.length), randomInt(256)];
    damaged[at] = byte;
    try {
      bdecode(damaged);
    } catch (error) {
      expect(error, `byte ${at} as ${byte}`).toBeInstanceOf(SyntaxError);
    }
  }
});
