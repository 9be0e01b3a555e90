/** A party behind a symmetric NAT, made of network namespaces, and one outside, through each media engine. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { MediaCall } from '../../src/engines/media/media-engine.ts';
import { openSocket } from '../support/datagrams.ts';
import { type HiddenNetwork, openHiddenNetwork } from '../support/hidden-network.ts';
import { engines, type OpenEngine } from './engines.ts';
import { type HiddenParty, openHiddenParty } from './hidden-party.ts';
import { openParty, type Party, plainLeg } from './parties.ts';

let network: HiddenNetwork;
beforeAll(async () => {
  network = await openHiddenNetwork();
});
afterAll(() => network.close());

const left: { leave(): Promise<void> }[] = [];
afterEach(async () => {
  for (const party of left.splice(0)) await party.leave();
});

async function openParties(): Promise<{ hidden: HiddenParty; outside: Party }> {
  const [hidden, outside] = [await openHiddenParty(network), await openParty(network.machine)];
  left.push(hidden, outside);
  return { hidden, outside };
}

test('the NAT is a symmetric one: each destination sees the same sender at a port of its own', async () => {
  const { hidden } = await openParties();
  const doors = [await openSocket(network.machine), await openSocket(network.machine)];
  await hidden.knock(
    network.machine,
    doors.map(({ port }) => port),
  );
  await expect.poll(() => doors.map(({ senders }) => senders.length)).toEqual([1, 1]);
  expect(doors[0]?.senders[0]).not.toBe(doors[1]?.senders[0]);
  for (const { socket } of doors) socket.close();
});

describe.each(Object.entries(engines))('%s', (_name, open) => {
  let opened: OpenEngine;
  beforeAll(async () => {
    opened = await open([network.machine]);
  });
  afterAll(() => opened.close());

  function openCall(latches: 'always' | 'when private') {
    const call: MediaCall = opened.engine.open(randomUUID(), {
      silent: () => undefined,
      keyPress: () => undefined,
      died: (reason) => expect.unreachable(reason),
    });
    left.push({ leave: async () => void (await call.close()) });
    return { call, hidden: call.leg('hidden', { ...plainLeg, latches }), outside: call.leg('outside', plainLeg) };
  }

  async function hearEachOther(call: MediaCall, { hidden, outside }: Awaited<ReturnType<typeof openParties>>) {
    // Who is outside speaks first, in vain: the NAT lets nothing in before something went out.
    outside.play(900);
    await hidden.play(440);
    await expect.poll(async () => [await hidden.hears(), outside.hears()]).toEqual([900, 440]);
    const { legs } = await call.quality();
    const heard = legs.find(({ name }) => name === 'hidden')?.heard;
    expect(heard?.source).toMatch(new RegExp(`^${network.nat.replaceAll('.', '\\.')}:\\d+$`));
  }

  test.each(['when private', 'always'] as const)('who is behind it calls, latched %s', async (latches) => {
    const parties = await openParties();
    const { call, hidden, outside } = openCall(latches);
    const described = await parties.hidden.offer();
    expect(String(described)).toContain(`c=IN IP4 ${network.inside}`);
    const offer = await call.offer(hidden, outside, described);
    expect(String(offer)).not.toContain(network.inside);
    await parties.hidden.accept(await call.answer(outside, hidden, parties.outside.audio.answer(offer).body));
    await hearEachOther(call, parties);
  });

  test('who is behind it is called', async () => {
    const parties = await openParties();
    const { call, hidden, outside } = openCall('when private');
    const offer = await call.offer(outside, hidden, parties.outside.audio.offer().body);
    parties.outside.audio.accept(await call.answer(hidden, outside, await parties.hidden.answer(offer)));
    await hearEachOther(call, parties);
  });
});
