import { expect, it } from 'vitest';
import { newRtpStream, rtpPackets } from './rtp.ts';

const audio = Uint8Array.from({ length: 480 }, (_, at) => at % 251);

it('builds every bit of a packet', () => {
  const stream = { payloadType: 0, ssrc: 0xdeadbeef, firstSequence: 0x1234, firstTimestamp: 0x01020304 } as const;
  const packets = rtpPackets(audio, stream);
  expect(packets.map((packet) => packet.subarray(0, 12).toString('hex'))).toEqual([
    // version 2 | marker, payload type 0 | sequence | timestamp | SSRC
    '80' + '80' + '1234' + '01020304' + 'deadbeef',
    '80' + '00' + '1235' + '010203a4' + 'deadbeef',
    '80' + '00' + '1236' + '01020444' + 'deadbeef',
  ]);
  expect(packets.map(({ length }) => length)).toEqual([172, 172, 172]);
  expect(Buffer.concat(packets.map((packet) => packet.subarray(12)))).toEqual(Buffer.from(audio));
});

it('marks A-law by its payload type', () => {
  const [first, second] = rtpPackets(audio, newRtpStream('PCMA'));
  expect([first?.[1], second?.[1]]).toEqual([0x88, 0x08]);
});

it('goes on at zero after the highest sequence number and timestamp', () => {
  const stream = { payloadType: 0, ssrc: 1, firstSequence: 0xffff, firstTimestamp: 0xffffffff } as const;
  const numbers = rtpPackets(audio, stream).map((packet) => [packet.readUInt16BE(2), packet.readUInt32BE(4)]);
  expect(numbers).toEqual([
    [0xffff, 0xffffffff],
    [0, 159],
    [1, 319],
  ]);
});

it('starts every stream somewhere else', () => {
  const streams = Array.from({ length: 50 }, () => newRtpStream('PCMU'));
  for (const member of ['ssrc', 'firstSequence', 'firstTimestamp'] as const) {
    expect(new Set(streams.map((stream) => stream[member])).size).toBeGreaterThan(40);
  }
});

it('takes whole frames only', () => {
  expect(() => rtpPackets(audio.subarray(1), newRtpStream('PCMU'))).toThrow(RangeError);
  expect(rtpPackets(new Uint8Array(), newRtpStream('PCMU'))).toEqual([]);
});
