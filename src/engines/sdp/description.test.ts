/** Session descriptions come out as they went in, except where somebody changes them. */
import { expect, test } from 'vitest';
import { codecOf, connectionAddress, directionOf, formatDescription, parseDescription } from './description.ts';

const written = Buffer.from(
  [
    'v=0',
    's=Caf\u00e9',
    'c=IN IP4 192.0.2.1/127',
    'a=inactive',
    'm=audio 4000/2 RTP/AVP 0 96',
    'a=rtpmap:96 OPUS/48000/2',
    'm=image 0 udptl t38',
    'c=IN IP6 2001:db8::1',
    'a=sendonly ',
    '',
  ].join('\r\n'),
  'latin1',
);

test('every byte of what nobody changes stays, whatever its character set', () => {
  expect(formatDescription(parseDescription(written))).toEqual(written);
});

test('lines may end as they like; what is no medium is a line', () => {
  const { session, media } = parseDescription(Buffer.from('v=0\nm=audio\n\nm=audio 1 RTP/AVP 0\na=x'));
  expect(session).toEqual(['v=0', 'm=audio']);
  expect(media).toMatchObject([{ kind: 'audio', port: '1', formats: ['0'], lines: ['a=x'] }]);
});

test('address and direction of a medium stand in it or in the session', () => {
  const { session, media } = parseDescription(written);
  const addresses = media.map(({ lines }) => connectionAddress(lines) ?? connectionAddress(session));
  expect(addresses).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(media.map((one) => directionOf(session, one))).toEqual(['inactive', 'sendonly']);
  expect(media.map((one) => directionOf([], one))).toEqual(['sendrecv', 'sendonly']);
});

test('codecs by payload type: as mapped, else as everybody knows them', () => {
  const [audio] = parseDescription(written).media;
  expect(audio && ['0', '96', '97'].map((payload) => codecOf(audio, payload))).toEqual([
    'pcmu/8000',
    'opus/48000/2',
    '',
  ]);
});
