/** Handshakes between our two sides: on good and bad ways, with thieves, liars and strangers. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeededRandom, testSeed } from '../../sip/simulation/seeded-random.fixture.ts';
import { SimulatedTimers } from '../../sip/simulation/simulated-timers.fixture.ts';
import { contentTypes, messageTypes } from './constants.ts';
import { clientAt, connect, exchange, listen, newIdentity, twoEnds, type Way } from './ends.fixture.ts';
import { readRecords, writeRecord } from './record.ts';

const wrongCertificate = 'The certificate of the peer is not the one that it described';
const noKey = 'The peer does not have the key of its certificate';

test('both sides end with the same keys, each for its own direction', () => {
  const { client, server, timers } = twoEnds();
  exchange(client, server);
  const keys = client.keys ?? expect.unreachable();
  expect(keys.sending.profile).toBe('AES_CM_128_HMAC_SHA1_80');
  expect([keys.sending.key.length, keys.sending.salt.length]).toEqual([16, 14]);
  expect(server.keys).toEqual({ sending: keys.receiving, receiving: keys.sending });
  expect(keys.sending).not.toEqual(keys.receiving);
  expect(server.connectedFrom).toEqual(clientAt);
  expect([client.failures, server.failures]).toEqual([[], []]);
  // Nothing is left to be repeated.
  expect(timers.pending).toBe(0);
});

test('another handshake of the same two has other keys', () => {
  const { client, server, clientIdentity, serverIdentity } = twoEnds();
  exchange(client, server);
  const again = connect(serverIdentity.certificate, clientIdentity);
  exchange(again, listen(clientIdentity.certificate, serverIdentity));
  expect(again.keys?.sending).not.toEqual(client.keys?.sending);
});

/** Loses, doubles, splits and turns round; the more so the worse it is. */
function badWay(random: SeededRandom, badness: number): Way {
  let kept: Buffer[] = [];
  return (datagram) => {
    if (random.chance(badness)) return [];
    const pieces = random.chance(badness) ? readRecords(datagram).map(writeRecord).reverse() : [datagram];
    const all = random.chance(badness) ? [...pieces, ...pieces] : pieces;
    if (random.chance(badness)) {
      kept = [...kept, ...all];
      return [];
    }
    const late = kept;
    kept = [];
    return [...all, ...late];
  };
}

test('a way that loses, doubles, splits and overtakes only makes it slower', () => {
  const seed = testSeed();
  console.info(`seed ${seed}`);
  const random = new SeededRandom(seed);
  for (let run = 0; run < 60; run += 1) {
    const { client, server, timers } = twoEnds();
    const ways = { there: badWay(random, 0.2), back: badWay(random, 0.2) };
    const isDone = () => client.keys !== null && server.keys !== null;
    for (let step = 0; step < 18 && !isDone(); step += 1) {
      // It gets better before their patience ends.
      exchange(client, server, step < 10 ? ways : {});
      timers.advance(1_000);
    }
    exchange(client, server);
    expect([client.failures, server.failures], `run ${run}`).toEqual([[], []]);
    expect(client.keys, `run ${run}`).not.toBeNull();
    expect(server.keys?.receiving, `run ${run}`).toEqual(client.keys?.sending);
  }
});

test('a last message that was lost is sent again when the client asks', () => {
  const { client, server, timers } = twoEnds();
  exchange(client, server, { back: (datagram) => (server.keys === null ? [datagram] : []) });
  expect([client.keys, server.keys !== null]).toEqual([null, true]);
  timers.advance(500);
  exchange(client, server);
  expect(client.keys).not.toBeNull();
});

test('who gets no answer repeats ever more slowly, and gives up after twenty seconds', () => {
  const { client, timers } = twoEnds();
  timers.advance(19_000);
  expect(client.failures).toEqual([]);
  expect(client.sent.length).toBeGreaterThan(5);
  expect(client.sent.length).toBeLessThan(12);
  timers.advance(10_000);
  expect(client.failures).toEqual(['The peer does not go on with the handshake']);
  expect(timers.pending).toBe(0);
});

test.each(['client', 'server'] as const)('a %s with another certificate than it described is refused', (side) => {
  const [identity, other] = [newIdentity(), newIdentity()];
  const server = listen(side === 'client' ? other.certificate : identity.certificate, identity);
  const client = connect(side === 'server' ? other.certificate : identity.certificate, identity);
  exchange(client, server);
  expect([client.keys, server.keys]).toEqual([null, null]);
  expect((side === 'client' ? server : client).failures).toEqual([wrongCertificate]);
});

test.each(['client', 'server'] as const)('a %s that shows a stolen certificate without its key is refused', (side) => {
  const [victim, thief] = [newIdentity(), newIdentity()];
  const stolen = { certificate: victim.certificate, privateKey: thief.privateKey };
  const honest = newIdentity();
  const server = listen(
    side === 'client' ? victim.certificate : honest.certificate,
    side === 'server' ? stolen : honest,
  );
  const client = connect(
    side === 'server' ? victim.certificate : honest.certificate,
    side === 'client' ? stolen : honest,
  );
  exchange(client, server);
  expect([client.keys, server.keys]).toEqual([null, null]);
  expect((side === 'client' ? server : client).failures).toEqual([noKey]);
});

test('a hello that was changed on its way is found out at the end', () => {
  const { client, server } = twoEnds();
  // Somebody takes the extension away by which both sides put the whole handshake into their secret.
  const weaken: Way = (datagram) => {
    const at = datagram.indexOf(Buffer.from('00170000', 'hex'));
    if (at >= 0 && datagram[13] === messageTypes.clientHello) datagram.writeUInt16BE(0x7f01, at);
    return [datagram];
  };
  exchange(client, server, { there: weaken });
  expect(client.keys ?? server.keys).toBeNull();
  expect(server.failures.length + client.failures.length).toBeGreaterThan(0);
});

test('nobody gets more than a cookie before it has shown that it is where it says', () => {
  const { client, server } = twoEnds();
  const hello = client.sent[0] ?? expect.unreachable();
  for (let port = 1; port <= 1_000; port += 1) server.listener.received(hello, { address: '203.0.113.9', port });
  expect(server.sent).toHaveLength(1_000);
  expect(Math.max(...server.sent.map((datagram) => datagram.length))).toBeLessThan(hello.length / 2);
  // The cookie of one is of no use to another.
  client.sent.length = 0;
  client.handshake.received(server.sent.at(-1) ?? expect.unreachable());
  const second = client.sent[0] ?? expect.unreachable();
  server.sent.length = 0;
  server.listener.received(second, clientAt);
  expect(server.sent[0]?.length).toBeLessThan(100);
});

test('a stranger who begins first does not keep the peer out, nor does one who comes later throw it out', () => {
  const { client, server, serverIdentity, timers } = twoEnds();
  for (let port = 1; port <= 6; port += 1) {
    const stranger = connect(serverIdentity.certificate, newIdentity(), timers);
    exchange(stranger, server, { from: { address: '203.0.113.9', port } });
    expect(stranger.keys).toBeNull();
  }
  expect(server.failures).toEqual(Array.from({ length: 6 }, () => wrongCertificate));
  exchange(client, server);
  expect(server.keys).not.toBeNull();
  const late = connect(serverIdentity.certificate, newIdentity(), timers);
  server.listener.received(late.sent[0] ?? expect.unreachable(), { address: '203.0.113.9', port: 99 });
  expect(server.sent).toEqual([]);
});

test('strangers with cookies cost a bounded number of handshakes a second', () => {
  const { server, serverIdentity } = twoEnds();
  let answered = 0;
  for (let port = 1; port <= 100; port += 1) {
    const stranger = connect(serverIdentity.certificate, newIdentity());
    const from = { address: '203.0.113.9', port };
    server.listener.received(stranger.sent[0] ?? expect.unreachable(), from);
    stranger.handshake.received(server.sent.at(-1) ?? expect.unreachable());
    server.sent.length = 0;
    server.listener.received(stranger.sent.at(-1) ?? expect.unreachable(), from);
    if (server.sent.length > 0) answered += 1;
    stranger.handshake.close();
  }
  expect(answered).toBe(20);
});

test('an end that is closed says so, and only the peer is believed', () => {
  const { client, server } = twoEnds();
  exchange(client, server);
  const forged = writeRecord({ type: contentTypes.alert, epoch: 0, sequence: 9, fragment: Buffer.of(1, 0) });
  client.handshake.received(forged);
  client.handshake.received(
    writeRecord({ type: contentTypes.alert, epoch: 1, sequence: 9, fragment: randomBytes(26) }),
  );
  expect(client.isClosed).toBe(false);
  server.listener.close();
  exchange(client, server);
  expect(client.isClosed).toBe(true);
});

test('a complaint in the clear, which anybody can send, does not end it', () => {
  const { client, server, timers } = twoEnds();
  client.handshake.received(
    writeRecord({ type: contentTypes.alert, epoch: 0, sequence: 0, fragment: Buffer.of(2, 40) }),
  );
  exchange(client, server);
  expect(client.keys).not.toBeNull();
  const alone = connect(newIdentity().certificate, newIdentity(), timers);
  alone.handshake.received(
    writeRecord({ type: contentTypes.alert, epoch: 0, sequence: 0, fragment: Buffer.of(2, 40) }),
  );
  timers.advance(30_000);
  expect(alone.failures).toEqual(['The peer does not go on with the handshake, it complains with alert 40']);
});

test('any bytes, at any point of a handshake, break nothing but that handshake', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { maxLength: 4 }), (after, changes) => {
      const { client, server } = twoEnds(new SimulatedTimers());
      let count = 0;
      const damaging: Way = (datagram) => {
        if (count++ !== after) return [datagram];
        const bytes = Buffer.from(datagram);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        return [bytes];
      };
      exchange(client, server, { there: damaging, back: damaging });
      if (client.keys !== null && server.keys !== null) expect(server.keys.sending).toEqual(client.keys.receiving);
    }),
    { numRuns: 150 },
  );
  fc.assert(
    fc.property(fc.nat(20), fc.uint8Array({ maxLength: 200 }), (type, body) => {
      const { client, server } = twoEnds(new SimulatedTimers());
      const message = Buffer.concat([Buffer.of(type, 0, 0, body.length, 0, 0, 0, 0, 0, 0, 0, body.length), body]);
      const record = writeRecord({ type: contentTypes.handshake, epoch: 0, sequence: 0, fragment: message });
      for (const bytes of [record, Buffer.from(body), Buffer.concat([Buffer.of(22, 0xfe, 0xfd), body])]) {
        server.listener.received(bytes, clientAt);
        client.handshake.received(bytes);
      }
      expect([client.keys, server.keys]).toEqual([null, null]);
    }),
    { numRuns: 150 },
  );
});
