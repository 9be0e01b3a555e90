/** Transfers by REFER over real sockets of loopback (trap 13): blind, refused, failed, and given up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fragments, refer, talkingIn } from './transfers.fixture.ts';
import { createWorld, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const talking = (mostTransfers?: number) => talkingIn(world, mostTransfers);

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
  expect(invite?.body.toString()).toMatch(/^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
  const offered = caller.requests.find(({ method }) => method === 'INVITE');
  expect(offered?.body.toString()).toMatch(/^m=audio \d+ RTP\/AVP 0\r$/m);
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
