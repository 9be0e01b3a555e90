/**
 * Attended transfers over real sockets of loopback (trap 13): REFER with Replaces, also between two calls of one
 * customer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallingOutOptions, callingOut } from './calling-out.fixture.ts';
import { fragments, otherPartyOf, refer, talkingIn } from './transfers.fixture.ts';
import { createWorld, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const talking = (mostTransfers?: number) => talkingIn(world, mostTransfers);

/** An answered call of a customer through a carrier. */
async function callsOut(options: CallingOutOptions = {}) {
  const out = await callingOut(world, options);
  out.call();
  await expect.poll(() => out.carrier.events).toEqual(['ack']);
  return out;
}

test('attended: Replaces goes with the INVITE; a silent subscription gets no NOTIFY', async () => {
  const { caller, called, third } = await talking();
  const replaces = 'call-9%40pbx%3Bto-tag%3D7%3Bfrom-tag%3D8';
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}?Replaces=${replaces}>`, [['Refer-Sub', 'false']])).toBe(
    202,
  );
  await expect.poll(() => called.events.at(-1)).toBe('ended remote');
  expect(third.invites[0]?.headers.first('Replaces')).toBe('call-9@pbx;to-tag=7;from-tag=8');
  expect(third.invites[0]?.uri).toBe(`sip:desk@127.0.0.1:${third.port}`);
  expect(fragments(called)).toEqual([]);
  caller.sessions[0]?.hangUp();
});

/** Two callers of one customer, whose phone has answered both. */
async function talkingTwice() {
  const { caller: first, called, number } = await talking();
  const second = await world.phone();
  second.dial(number);
  await expect.poll(() => called.events).toEqual(['ack', 'ack']);
  return { first, second, called, number };
}

test('attended, between two calls of the trunk: the callers are joined, both calls go on and end together', async () => {
  const { first, second, called, number } = await talkingTwice();
  expect(await refer(called, otherPartyOf(called.sessions[1]))).toBe(202);
  await expect.poll(() => called.events.filter((event) => event === 'ended remote')).toHaveLength(2);
  expect(fragments(called)).toEqual(['SIP/2.0 100 Trying', 'SIP/2.0 200 OK']);
  expect(called.invites).toHaveLength(2);
  // Each caller was offered the media of the other one, and what one of them sends now reaches the other.
  for (const phone of [first, second]) expect(phone.events).toContain('INVITE');
  expect(second.requests.find(({ method }) => method === 'INVITE')?.body.toString()).toContain('RTP/AVP 0 8 101');
  const before = second.requests.length;
  let status: number | undefined;
  first.sessions[0]?.reinvite({ content: sdp('0', ['a=sendonly']) }, (response) => {
    status = response?.status;
    if (response) first.sessions[0]?.acknowledge(response);
  });
  await expect.poll(() => status).toBe(200);
  expect(
    second.requests
      .slice(before)
      .find(({ method }) => method === 'INVITE')
      ?.body.toString(),
  ).toContain('sendonly');
  expect(await world.cdrs(number)).toEqual([]);
  second.sessions[0]?.hangUp();
  await expect.poll(() => first.events.at(-1)).toBe('ended remote');
  await expect.poll(() => world.cdrs(number)).toHaveLength(2);
  const cdrs = await world.cdrs(number);
  expect(cdrs.map((cdr) => cdr.disconnect_initiator).sort()).toEqual(['Destination', 'Origination']);
  expect(cdrs.every((cdr) => cdr.success === true && cdr.disconnect_code === 200)).toBe(true);
  await expect.poll(() => world.switchboard.size).toBe(0);
});

test.each(['caller', 'called party'])(
  'attended, to a party that the customer has called: both talk on, each call has its own records, the %s hangs up',
  async (leaving) => {
    const { caller, called, number, accountId } = await talking();
    const { carrier: party, carrierName } = await callsOut({ customer: called, accountId });
    const [inbound, outbound] = called.sessions;
    expect(await refer(called, otherPartyOf(outbound))).toBe(202);
    await expect.poll(() => called.events.filter((event) => event === 'ended remote')).toHaveLength(2);
    expect(fragments(called)).toEqual(['SIP/2.0 100 Trying', 'SIP/2.0 200 OK']);
    expect([inbound?.isEnded, outbound?.isEnded]).toEqual([true, true]);
    for (const phone of [caller, party]) expect(phone.events).toContain('INVITE');
    // What one of them sends now reaches the other.
    const statuses: (number | undefined)[] = [];
    for (const session of [caller.sessions[0], party.sessions[0]]) {
      session?.reinvite({ content: sdp('0', ['a=sendonly']) }, (response) => {
        statuses.push(response?.status);
        if (response) session.acknowledge(response);
      });
      await expect.poll(() => statuses).toHaveLength(session === caller.sessions[0] ? 1 : 2);
    }
    expect(statuses).toEqual([200, 200]);
    for (const { requests } of [caller, party])
      expect(String(requests.findLast(({ method }) => method === 'INVITE')?.body)).toContain('sendonly');
    expect([...(await world.cdrs(number)), ...(await world.cdrsOut(accountId))]).toEqual([]);
    const [leaves, stays] = leaving === 'caller' ? [caller, party] : [party, caller];
    leaves.sessions[0]?.hangUp();
    await expect.poll(() => stays.events.at(-1)).toBe('ended remote');
    await expect
      .poll(() => world.cdrs(number))
      .toMatchObject([
        {
          ...{ success: true, disconnect_code: 200 },
          disconnect_initiator: leaving === 'caller' ? 'Origination' : 'Destination',
        },
      ]);
    await expect
      .poll(() => world.cdrsOut(accountId))
      .toMatchObject([{ success: true, disconnect_code: 200, carrier_name: carrierName }]);
    expect((await world.eventsByCall(accountId)).sort()).toEqual(['in: start connect end', 'out: start connect end']);
    await expect.poll(() => world.switchboard.size).toBe(0);
  },
);

test('attended, and the called party refuses the caller’s media: both calls stay as they were', async () => {
  const { caller, called, number, accountId } = await talking();
  const { carrier: party } = await callsOut({ customer: called, accountId });
  party.answersOffers = false;
  expect(await refer(called, otherPartyOf(called.sessions[1]))).toBe(202);
  await expect.poll(() => fragments(called).at(-1)).toBe('SIP/2.0 488 Not Acceptable Here');
  expect([...called.sessions, ...caller.sessions, ...party.sessions].map(({ isEnded }) => isEnded)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  for (const session of called.sessions) session.hangUp();
  await expect.poll(() => world.cdrs(number)).toHaveLength(1);
  await expect.poll(() => world.cdrsOut(accountId)).toHaveLength(1);
});

test('attended: a call out of another customer is not joined; in a call out there are no transfers, since its trunk has no limit to allow them', async () => {
  const { caller, called } = await talking();
  const { customer: others, carrier: party, accountId } = await callsOut();
  expect(await refer(called, otherPartyOf(others.sessions[0]))).toBe(202);
  await expect.poll(() => fragments(called).at(-1)).not.toMatch(/100|200/);
  expect(await refer(others, otherPartyOf(called.sessions[0]))).toBe(603);
  expect(await refer(party, `<sip:desk@127.0.0.1:${caller.port}>`)).toBe(603);
  expect([caller, called, others, party].map(({ sessions }) => sessions[0]?.isEnded)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  for (const phone of [caller, others]) phone.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(accountId)).toMatchObject([{ success: true }]);
});

test('attended, and a caller refuses the other one’s media: both calls stay as they were', async () => {
  const { first, second, called, number } = await talkingTwice();
  first.answersOffers = false;
  expect(await refer(called, otherPartyOf(called.sessions[1]))).toBe(202);
  await expect.poll(() => fragments(called).at(-1)).toBe('SIP/2.0 488 Not Acceptable Here');
  // The second caller was offered the first one's media, and then those of the phone again.
  await expect.poll(() => second.requests.filter(({ method }) => method === 'INVITE')).toHaveLength(2);
  const offered = second.requests.filter(({ method }) => method === 'INVITE');
  expect(offered.at(-1)?.body.toString()).toMatch(/^m=audio \d+ RTP\/AVP 0\r$/m);
  expect([...called.sessions, ...first.sessions, ...second.sessions].map(({ isEnded }) => isEnded)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  for (const session of called.sessions) session.hangUp();
  await expect.poll(() => world.cdrs(number)).toHaveLength(2);
});

test('attended: a call of another customer is not joined, and neither is the caller’s side of a call', async () => {
  const { caller, called } = await talking(2);
  const others = await talking();
  for (const target of [others.called, others.caller]) {
    expect(await refer(called, otherPartyOf(target.sessions[0]))).toBe(202);
    await expect.poll(() => fragments(called).at(-1)).not.toMatch(/100|200/);
  }
  expect([caller, called, others.caller, others.called].map(({ sessions }) => sessions[0]?.isEnded)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  for (const phone of [caller, others.caller]) phone.sessions[0]?.hangUp();
});
