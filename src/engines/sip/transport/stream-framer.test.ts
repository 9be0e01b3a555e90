/** Messages come out of a stream wherever it is cut. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invite, inviteWith, ringing } from '../message/samples.fixture.ts';
import { StreamFramer } from './stream-framer.ts';

function framed() {
  const messages: Buffer[] = [];
  const seen = { messages, pings: 0 };
  const framer = new StreamFramer({
    message: (bytes) => messages.push(Buffer.from(bytes)),
    ping: () => void seen.pings++,
  });
  return { framer, seen };
}

test('messages come out whole wherever the stream is cut', () => {
  const stream = Buffer.concat([invite, Buffer.from('\r\n'), ringing, invite]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 12 }), (cuts) => {
      const { framer, seen } = framed();
      const points = [0, ...cuts.sort((one, other) => one - other), stream.length];
      for (const [index, point] of points.entries()) framer.push(stream.subarray(points[index - 1] ?? 0, point));
      expect(seen.messages).toEqual([invite, ringing, invite]);
      expect(framer.isWithinMessage).toBe(false);
    }),
  );
});

test('an empty line between messages that is cut in two', () => {
  const { framer, seen } = framed();
  framer.push(Buffer.concat([invite, Buffer.from('\r')]));
  framer.push(Buffer.concat([Buffer.from('\n'), ringing]));
  expect(seen.messages).toEqual([invite, ringing]);
});

test('byte by byte', () => {
  const { framer, seen } = framed();
  for (const byte of invite) framer.push(Buffer.from([byte]));
  expect(seen.messages).toEqual([invite]);
});

test('a double CRLF between messages is a keep-alive, a single one is an answer to ours', () => {
  const { framer, seen } = framed();
  framer.push(Buffer.concat([Buffer.from('\r\n\r\n'), invite, Buffer.from('\r\n')]));
  framer.push(Buffer.from('\r\n\r\n'));
  expect([seen.messages.length, seen.pings]).toEqual([1, 2]);
});

test.each([
  ['no Content-Length', Buffer.from(invite.toString().replace(/Content-Length.*\r\n/, ''))],
  ['a Content-Length that is no number', inviteWith({}, ['Content-Length: ten'])],
  ['a negative Content-Length', inviteWith({}, ['Content-Length: -1'])],
  ['two Content-Lengths', inviteWith({}, ['Content-Length: 1', 'l: 1'])],
  ['a body beyond the limit', inviteWith({}, ['Content-Length: 70000'])],
  ['headers beyond the limit', Buffer.from(`INVITE ${'x'.repeat(40_000)}`)],
])('%s: there is no next message (trap 9)', (_name, bytes) => {
  expect(() => framed().framer.push(bytes)).toThrow();
});

test('a folded Content-Length is read', () => {
  const { framer, seen } = framed();
  framer.push(inviteWith({}, ['Content-Length:', ' 3']));
  expect(seen.messages).toHaveLength(1);
});
