/** The embedded engine with its threads and real packets: who hears whom. */
import { expect, test } from 'vitest';
import { Party, plainLeg } from './party.fixture.ts';
import { exchange, heardOf, openCall, openPair, shareEngine } from './world.fixture.ts';

const { engine } = shareEngine();

test('two parties hear each other through ports of their own', async () => {
  const { call, alice, bob, told } = await openPair(engine);
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
  expect([...bob.sources]).toEqual([bob.relay.port]);
  expect(alice.relay.port).not.toBe(bob.relay.port);
  expect(told.offer).not.toContain(String(alice.port));
  expect(await heardOf(call, 'alice')).toMatchObject({ lost: 0, codec: 'PCMU', source: `127.0.0.1:${alice.port}` });
});

test('a party on IPv6 talks with one on IPv4', async () => {
  const { alice, bob, told } = await openPair(engine, {
    bob: await Party.open({ host: '::1' }),
    bobLeg: { family: 6 },
  });
  expect(told.offer).toContain('c=IN IP6 ::1');
  expect(told.answer).toContain('c=IN IP4 127.0.0.1');
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
});

test('media follow the dialog that answers: of two phones that ring, and after a transfer', async () => {
  const { call } = openCall(engine);
  const [alice, bob, carol] = [await Party.open(), await Party.open(), await Party.open()];
  const legs = ['alice', 'bob', 'carol'].map((name) => call.leg(name, plainLeg));
  const [a, b, c] = [legs[0] ?? never(), legs[1] ?? never(), legs[2] ?? never()];
  bob.told(await call.offer(a, b, alice.describe()));
  carol.told(await call.offer(a, c, alice.describe()));
  alice.told(await call.answer(c, a, carol.describe()));
  const { port } = alice.relay;
  await carol.isHeardBy(alice);
  await alice.isHeardBy(carol);
  expect(bob.datagrams).toEqual([]);
  await exchange(call, { leg: a, party: alice }, { leg: b, party: bob });
  call.drop(c);
  expect(alice.relay.port).toBe(port);
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
  const heard = carol.packets.length;
  await alice.isHeardBy(bob);
  expect(carol.packets.length).toBe(heard);
});

function never(): never {
  throw new Error('there is no such leg');
}
