/** RTP packets, bit by bit. */
import { expect, it } from 'vitest';
import { framesOf, newRtpStream, parseRtp, RtpSender, type RtpStream } from './rtp.ts';

const audio = Uint8Array.from({ length: 480 }, (_, at) => at % 251);

/** All frames of the audio, one after another. */
function rtpPackets(sent: Uint8Array, stream: RtpStream): Buffer[] {
  const sender = new RtpSender(stream);
  return framesOf(sent).map((frame, position) => sender.packet(position, frame, { marker: position === 0 }));
}

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
  expect(() => framesOf(audio.subarray(1))).toThrow(RangeError);
  expect(framesOf(new Uint8Array())).toEqual([]);
});

it('counts packets and not time in sequence numbers, so that a pause is no loss', () => {
  const sender = new RtpSender({ payloadType: 0, ssrc: 1, firstSequence: 10, firstTimestamp: 0 });
  const frame = new Uint8Array(160);
  const packets = [sender.packet(0, frame, { marker: true }), sender.packet(50, frame, { marker: true })];
  expect(packets.map((packet) => [packet.readUInt16BE(2), packet.readUInt32BE(4)])).toEqual([
    [10, 0],
    [11, 8000],
  ]);
});

it('reads back what it wrote, and skips sources, extension and padding', () => {
  const [packet = Buffer.alloc(0)] = rtpPackets(audio, newRtpStream('PCMA'));
  expect(parseRtp(packet)).toMatchObject({
    payloadType: 8,
    marker: true,
    payload: Buffer.from(audio.subarray(0, 160)),
  });
  const decorated = Buffer.from('b100000100000002000000030000000400010001aabbccdd0102030400000004', 'hex');
  expect(parseRtp(decorated)).toMatchObject({
    sequence: 1,
    timestamp: 2,
    ssrc: 3,
    payload: Buffer.from('01020304', 'hex'),
  });
});

it.each([
  '',
  '80000001',
  '400000010000000200000003',
  '900000010000000200000003',
  '8f0000010000000200000003',
  'a00000010000000200000003ff',
])('takes %s for no RTP packet', (hex) => {
  expect(parseRtp(Buffer.from(hex, 'hex'))).toBeNull();
});
