/** Offers and answers of the built-in phone. */
import { describe, expect, it } from 'vitest';
import { answerAudio, listens, offerAudio, readAudio, SdpError } from './sdp.ts';

const local = { address: '127.0.0.1', port: 4000 };
const sdp = (...media: string[]) =>
  Buffer.from(['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0', ...media].join('\r\n'));

describe('an offer', () => {
  it('has both codecs and telephone events', () => {
    const offer = readAudio(offerAudio(local));
    expect(offer).toMatchObject({ ...local, codecs: ['PCMU', 'PCMA'], eventType: 101, direction: 'sendrecv' });
  });

  it('names an IPv6 address as such', () => {
    expect(offerAudio({ address: '::1', port: 4000 }).toString()).toContain('c=IN IP6 ::1\r\n');
    expect(readAudio(offerAudio({ address: '::1', port: 4000 })).address).toBe('::1');
  });

  it('changes its version with every change, so that the peer takes it for a new one', () => {
    const origin = (version: number) => /o=.*/.exec(offerAudio(local, 'sendonly', { version }).toString())?.[0];
    expect(origin(1)).not.toBe(origin(2));
  });
});

describe('an answer', () => {
  it("has the peer's first codec, its number of events, and every media line of the offer", () => {
    const offer = readAudio(
      sdp(
        'm=video 5000 RTP/AVP 96',
        'm=audio 4500 RTP/AVP 18 8 0 96',
        'a=rtpmap:96 telephone-event/8000',
        'a=sendonly',
      ),
    );
    const answer = answerAudio(offer, local);
    expect(readAudio(answer)).toMatchObject({ codecs: ['PCMA'], eventType: 96, direction: 'recvonly', audioIndex: 1 });
    expect(answer.toString()).toContain('m=video 0 RTP/AVP 96\r\n');
  });

  it.each([
    ['G.729 alone', 'm=audio 4500 RTP/AVP 18'],
    ['a payload type that happens to hold an 8', 'm=audio 4500 RTP/AVP 18 80'],
  ])('is refused for %s', (_what, media) => {
    expect(() => answerAudio(readAudio(sdp(media)), local)).toThrow(SdpError);
  });
});

it.each([
  ['no media', Buffer.from('v=0\r\n')],
  ['encrypted audio', sdp('m=audio 4500 RTP/SAVP 0')],
  ['a name for an address', Buffer.from('v=0\r\nc=IN IP4 example.com\r\nm=audio 4500 RTP/AVP 0\r\n')],
  ['bytes', Buffer.from([0, 255, 13, 10])],
])('%s makes no call', (_what, body) => {
  expect(() => readAudio(body)).toThrow(SdpError);
});

it.each([
  ['a=sendrecv', true],
  ['a=recvonly', true],
  ['a=sendonly', false],
  ['a=inactive', false],
  ['c=IN IP4 0.0.0.0', false],
])('with %s the peer listens: %s', (line, expected) => {
  expect(listens(readAudio(sdp('m=audio 4500 RTP/AVP 0', line)))).toBe(expected);
});

it('takes the direction and address of the session where the media has none', () => {
  const held = Buffer.from('v=0\nc=IN IP4 192.0.2.9\na=inactive\nm=audio 4500 RTP/AVP 0\n');
  expect(readAudio(held)).toMatchObject({ address: '192.0.2.9', direction: 'inactive' });
});
