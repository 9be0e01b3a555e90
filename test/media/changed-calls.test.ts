/** What changes before a call is answered or while it is up, heard at both ends through each media engine. */
import { describe, expect, test } from 'vitest';
import { otherPartyOf, refer } from '../../src/business/b2bua/transfers.fixture.ts';
import type { Phone } from '../../src/business/b2bua/world.fixture.ts';
import { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import { useOpened } from '../support/use.ts';
import { answered, answers, content, faxOf, openMediaHouse } from './media-house.ts';

/** Offers something else within the phone's call; returns when it has been agreed on. */
async function offers(phone: Phone, party: Party, description: Buffer): Promise<void> {
  const [session] = phone.sessions;
  const agreed = Promise.withResolvers<Buffer>();
  session?.reinvite({ content: content(description) }, (response) => {
    if (response === null) return;
    session.acknowledge(response);
    if (response.status === 200) agreed.resolve(response.body);
    else agreed.reject(new Error(`refused with ${response.status}`));
  });
  party.told(await agreed.promise);
}

async function hearEachOther(one: Party, other: Party): Promise<void> {
  await one.isHeardBy(other);
  await other.isHeardBy(one);
}

describe.each(['embedded', 'rtpengine'] as const)('%s', (engine) => {
  const house = useOpened(() => openMediaHouse(engine));
  const transfers = { settings: { max_transfers: 1 } };

  /** A phone with media of its own, which answers calls and offers. */
  async function openPhone(): Promise<{ phone: Phone; party: Party }> {
    const [phone, party] = [await house.world.phone(), await Party.open()];
    answers(phone, party);
    return { phone, party };
  }

  test('early media: what is played before the answer is heard, and both sides after it', async () => {
    const { phone: trunk, party: own } = await openPhone();
    const { phone: caller, party: carrier } = await openPhone();
    const { number } = await house.world.number([trunk.port]);
    trunk.onCall = (call) => {
      own.told(call.transaction.request.body);
      call.progress(183, { content: content(own.describe()) });
    };
    caller.dial(number, { extra: { content: content(carrier.describe()) } });
    await expect.poll(() => caller.responses.map(({ status }) => status)).toContain(183);
    const early = caller.responses.find(({ status }) => status === 183);
    carrier.told(early?.body ?? Buffer.alloc(0));
    await own.isHeardBy(carrier);
    const [call] = trunk.calls;
    if (call) trunk.answer(call, content(own.describe()));
    await expect.poll(() => caller.events).toContain('answered');
    await hearEachOther(own, carrier);
    caller.sessions[0]?.hangUp();
  });

  test('on hold with music the caller hears it; then both hear each other again', async () => {
    const { own, ownPhone, carrier, hangUp } = await house.inbound();
    await hearEachOther(own, carrier);
    await offers(ownPhone, own, own.describe(['a=sendonly']));
    await own.isHeardBy(carrier);
    await offers(ownPhone, own, own.describe());
    await hearEachOther(own, carrier);
    hangUp();
  });

  test('a side that goes on from another address is heard from there', async () => {
    const { own, ownPhone, carrier, hangUp } = await house.inbound();
    await hearEachOther(own, carrier);
    const moved = await Party.open();
    await offers(ownPhone, moved, moved.describe());
    await hearEachOther(moved, carrier);
    hangUp();
  });

  test('T.38 takes the place of the voice, and gives it back', async () => {
    const { own, ownPhone, carrier, hangUp } = await house.inbound();
    await hearEachOther(own, carrier);
    await offers(ownPhone, own, faxOf(own));
    const page = Buffer.from('000006c0018081', 'hex');
    for (const [from, to] of [
      [own, carrier],
      [carrier, own],
    ] as const) {
      await expect
        .poll(() => {
          from.sendRaw(page);
          return to.datagrams.some((bytes) => bytes.equals(page));
        })
        .toBe(true);
    }
    await offers(ownPhone, own, own.describe());
    await hearEachOther(own, carrier);
    hangUp();
  });

  test('a blind transfer: the caller and the third party hear each other', async () => {
    const { ownPhone, carrier, hangUp } = await house.inbound(transfers);
    const third = await openPhone();
    expect(await refer(ownPhone, `<sip:desk@127.0.0.1:${third.phone.port}>`)).toBe(202);
    await expect.poll(() => ownPhone.events.at(-1)).toBe('ended remote');
    await hearEachOther(carrier, third.party);
    hangUp();
  });

  test('an attended transfer: the two callers of the trunk hear each other', async () => {
    const { own, ownPhone, carrier, hangUp } = await house.inbound(transfers);
    const second = await openPhone();
    const number = /^sip:\+?(\d+)@/.exec(ownPhone.invites[0]?.uri ?? '')?.[1] ?? '';
    // The trunk's other line has media of its own.
    const line = await Party.open();
    answers(ownPhone, line);
    second.phone.dial(number, { extra: { content: content(second.party.describe()) } });
    await answered(second.phone, second.party);
    await hearEachOther(line, second.party);
    await hearEachOther(own, carrier);
    expect(await refer(ownPhone, otherPartyOf(ownPhone.sessions[1]))).toBe(202);
    await expect.poll(() => ownPhone.events.filter((event) => event === 'ended remote')).toHaveLength(2);
    await hearEachOther(carrier, second.party);
    hangUp();
  });
});
