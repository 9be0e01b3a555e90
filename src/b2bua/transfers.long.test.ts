/** Transfers by REFER over real sockets of loopback (trap 13): blind and attended, refused, failed, and given up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../sip/dialog/session.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** An answered call of `caller` to `called`, whose trunk allows so many transfers. */
async function talking(mostTransfers = 1) {
  const [caller, called, third] = [await world.phone(), await world.phone(), await world.phone()];
  const { number } = await world.number([called.port], { max_transfers: mostTransfers });
  caller.dial(number);
  await expect.poll(() => called.events).toEqual(['ack']);
  return { caller, called, third, number };
}

/** Sends REFER within the phone's first call; returns the status. */
async function refer(phone: Phone, to: string, headers: readonly [string, string][] = []): Promise<number | undefined> {
  let status: number | undefined | null = null;
  phone.sessions[0]?.send('REFER', { headers: [['Refer-To', to], ...headers] }, (response) => {
    status = response?.status;
  });
  await expect.poll(() => status).not.toBeNull();
  return status ?? undefined;
}

const fragments = (phone: Phone) =>
  phone.requests.filter(({ method }) => method === 'NOTIFY').map(({ body }) => body.toString().trim());

test('blind: the third party rings and answers, the caller gets its media, and the called side is let go', async () => {
  const { caller, called, third, number } = await talking();
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}>`, [['Referred-By', '<sip:boss@pbx.test>']])).toBe(202);
  await expect.poll(() => called.events.at(-1)).toBe('ended remote');
  expect(fragments(called)).toEqual(['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing', 'SIP/2.0 200 OK']);
  const states = called.requests.filter(({ method }) => method === 'NOTIFY').map(({ headers }) => headers);
  expect(states.map((headers) => headers.first('Subscription-State'))).toEqual([
    'active;expires=180',
    'active;expires=180',
    'terminated;reason=noresource',
  ]);
  expect(states[0]?.first('Event')).toBe('refer');
  const [invite] = third.invites;
  expect(invite?.uri).toBe(`sip:desk@127.0.0.1:${third.port}`);
  expect(invite?.headers.first('Referred-By')).toBe('<sip:boss@pbx.test>');
  expect(invite?.callId).not.toBe(called.invites[0]?.callId);
  expect(invite?.body.toString()).toContain('m=audio 4000 RTP/AVP 0 8 101');
  const offered = caller.requests.find(({ method }) => method === 'INVITE');
  expect(offered?.body.toString()).toContain('m=audio 4000 RTP/AVP 0\r\n');
  // The caller answered with other formats than it had offered, so the third party is told.
  await expect.poll(() => third.events).toContain('INVITE');
  expect(caller.events).not.toContain('ended remote');
  caller.sessions[0]?.hangUp();
  await expect.poll(() => third.events.at(-1)).toBe('ended remote');
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ disconnect_code: 200, success: true, attempt: 1 }]);
  await expect.poll(() => world.switchboard.size).toBe(0);
});

test('on hold before the transfer: both directions are open for the third party, who can hang up', async () => {
  const { caller, called, third, number } = await talking();
  let isHeld = false;
  const hold = (port: number) =>
    Buffer.from(
      `v=0\r\no=- 2 2 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\n`,
    );
  const content = { type: 'application/sdp', body: Buffer.concat([hold(4002), Buffer.from('a=sendonly\r\n')]) };
  called.sessions[0]?.reinvite({ content }, (response) => {
    isHeld = response?.status === 200;
    if (response) called.sessions[0]?.acknowledge(response);
  });
  await expect.poll(() => isHeld).toBe(true);
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port};method=INVITE>`)).toBe(202);
  // It leaves without waiting, as some phones do.
  called.sessions[0]?.hangUp();
  await expect.poll(() => third.events).toContain('ack');
  expect(third.invites[0]?.body.toString()).not.toMatch(/a=(sendonly|recvonly|inactive)/);
  expect(third.invites[0]?.uri).toBe(`sip:desk@127.0.0.1:${third.port}`);
  await expect.poll(() => caller.requests.filter(({ method }) => method === 'INVITE')).toHaveLength(2);
  third.sessions[0]?.hangUp();
  await expect.poll(() => caller.events.at(-1)).toBe('ended remote');
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ disconnect_initiator: 'Destination' }]);
});

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

/** The Refer-To of a phone that wants the other party of one of its calls: Replaces names that call from the server's side. */
function otherPartyOf(session: Session | undefined): string {
  const { callId, localTag, remoteTag, remoteTarget } = session?.dialog ?? expect.unreachable();
  const replaces = encodeURIComponent(`${callId};to-tag=${remoteTag};from-tag=${localTag}`);
  return `<${remoteTarget}?Replaces=${replaces}>`;
}

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

test('attended, and a caller refuses the other one’s media: both calls stay as they were', async () => {
  const { first, second, called, number } = await talkingTwice();
  first.answersOffers = false;
  expect(await refer(called, otherPartyOf(called.sessions[1]))).toBe(202);
  await expect.poll(() => fragments(called).at(-1)).toBe('SIP/2.0 488 Not Acceptable Here');
  // The second caller was offered the first one's media, and then those of the phone again.
  await expect.poll(() => second.requests.filter(({ method }) => method === 'INVITE')).toHaveLength(2);
  const offered = second.requests.filter(({ method }) => method === 'INVITE');
  expect(offered.at(-1)?.body.toString()).toContain('m=audio 4000 RTP/AVP 0\r\n');
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

test('busy: the called side is told and keeps the call; if it has left, the call ends', async () => {
  const { caller, called, third } = await talking(2);
  third.onCall = (call) => call.reject(486);
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}>`)).toBe(202);
  await expect.poll(() => fragments(called)).toEqual(['SIP/2.0 100 Trying', 'SIP/2.0 486 Busy Here']);
  expect([caller.sessions[0]?.isEnded, called.sessions[0]?.isEnded]).toEqual([false, false]);
  third.onCall = (call) => call.progress(180);
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}>`)).toBe(202);
  await expect.poll(() => third.calls).toHaveLength(2);
  called.sessions[0]?.hangUp();
  await expect.poll(() => called.sessions[0]?.isEnded).toBe(true);
  third.calls[1]?.reject(480);
  await expect.poll(() => caller.events.at(-1)).toBe('ended remote');
});

test('the caller hangs up while the third party rings', async () => {
  const { caller, called, third } = await talking();
  third.onCall = (call) => call.progress(180);
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}>`)).toBe(202);
  await expect.poll(() => fragments(called)).toHaveLength(2);
  caller.sessions[0]?.hangUp();
  await expect.poll(() => [third.events.at(-1), called.events.at(-1)]).toEqual(['cancelled', 'ended remote']);
});

test('refused: not allowed, too many, by the caller, no address of ours to name, not SIP', async () => {
  const none = await talking(0);
  expect(await refer(none.called, `<sip:desk@127.0.0.1:${none.third.port}>`)).toBe(603);
  const { caller, called, third } = await talking(1);
  expect(await refer(caller, `<sip:desk@127.0.0.1:${third.port}>`)).toBe(603);
  expect(await refer(called, '<tel:+4930123>')).toBe(416);
  expect(await refer(called, '<sip:desk@127.0.0.1;method=BYE>')).toBe(603);
  expect(await refer(called, '<sip:desk@1.1.1.1>')).toBe(202);
  await expect.poll(() => fragments(called)).toEqual(['SIP/2.0 100 Trying', 'SIP/2.0 403 Forbidden']);
  expect(await refer(called, `<sip:desk@127.0.0.1:${third.port}>`)).toBe(603);
  expect(third.invites).toEqual([]);
  for (const phone of [none.caller, caller]) phone.sessions[0]?.hangUp();
});
