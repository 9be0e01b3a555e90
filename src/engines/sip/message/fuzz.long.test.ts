/**
 * Mutated packets from a printed seed: reading ends in bounded time with a message or a `SipError`, never with anything
 * else.
 */
import { expect, test } from 'vitest';
import { SeededRandom, testSeed } from '../simulation/seeded-random.fixture.ts';
import { responseTo } from './build.ts';
import { checkMessage } from './check.ts';
import { parseCredentials } from './credentials.ts';
import { bodyParts } from './multipart.ts';
import { mutate } from './mutate.fixture.ts';
import { parseMessage } from './parse.ts';
import { invite, inviteWith, ringing } from './samples.fixture.ts';
import { serialise } from './serialise.ts';
import { SipError } from './sip-error.ts';

const packets = 30_000;
const sources = [
  invite,
  ringing,
  inviteWith({}, ['Route: "a" <sip:b;lr>, <sip:c;lr>', 'Authorization: Digest a="b", c=d', 'Supported: a,b']),
  inviteWith({ 'Content-Type': 'Content-Type: multipart/mixed;boundary=v' }),
];

/** Does with the packet what a server would; returns what became of it. */
function receive(bytes: Buffer): 'accepted' | 'refused' | 'unreadable' {
  try {
    const message = parseMessage(bytes);
    const problem = checkMessage(message);
    if (message.isRequest && message.headers.has('Via'))
      parseMessage(serialise(responseTo(message, 400, 'Bad Request')));
    if (problem) return 'refused';
    for (const name of ['Route', 'Supported', 'Contact']) message.headers.all(name);
    for (const value of message.headers.all('Authorization')) parseCredentials(value);
    bodyParts(message);
    parseMessage(serialise(message));
    return 'accepted';
  } catch (error) {
    if (error instanceof SipError) return 'unreadable';
    throw error;
  }
}

test(`${packets} mutated packets`, () => {
  const seed = testSeed();
  console.log(`fuzz: SIP_SEED=${seed}`);
  const random = new SeededRandom(seed);
  const seen = { accepted: 0, refused: 0, unreadable: 0 };
  for (let count = 0; count < packets; count++) {
    seen[receive(mutate(random, random.pick(sources)))]++;
  }
  expect(seen.accepted).toBeGreaterThan(packets / 50);
  expect(seen.refused).toBeGreaterThan(packets / 50);
  expect(seen.unreadable).toBeGreaterThan(packets / 50);
});

test.each([
  ['quotes', `To: ${'"'.repeat(30_000)}`],
  ['backslashes', `To: "${'\\'.repeat(30_000)}`],
  ['folds', `To: <sip:a@b>${'\r\n '.repeat(10_000)}`],
  ['commas', `Via: ${','.repeat(30_000)}`],
  ['spaces', `To: ${' '.repeat(30_000)}x`],
  ['spaces in Via', `Via: SIP${' '.repeat(30_000)}/`],
])('packets full of %s take no time that grows with the square of their length', (_name, line) => {
  const packet = Buffer.from(`INVITE sip:a@b SIP/2.0\r\n${line}\r\nCSeq: 1 INVITE\r\n\r\n`);
  // One such packet of a reader that is quadratic takes about a second: these would take longer than a test may.
  for (let count = 0; count < 200; count++) receive(packet);
});
