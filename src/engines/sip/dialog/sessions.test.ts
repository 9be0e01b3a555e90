/** Established calls: hang-up races, lost ACKs, re-INVITE and glare, session timers, keep-alive, order, routes. */
import { expect, test } from 'vitest';
import { SipRequest } from '../message/message.ts';
import { Dialog } from './dialog.ts';
import { addresses, at, createWorld, sdp } from './world.fixture.ts';

test('both sides hang up at once: each ends once and gets 200', () => {
  const { alice, bob, talk, timers, responses } = createWorld();
  const { a, b } = talk();
  a.hangUp();
  b.hangUp();
  timers.advance(40_000);
  expect([alice.events.at(-1), bob.events.at(-1)]).toEqual(['ended local', 'ended local']);
  expect(responses(481)).toEqual([]);
  expect([alice.agent.dialogs, bob.agent.dialogs]).toEqual([0, 0]);
});

test('the called side does not send BYE before the ACK, and without one it ends after 32 s', () => {
  const { bob, place, ringing, timers, sent, network } = createWorld();
  place();
  network.silence(addresses.alice);
  const session = ringing().accept({ content: sdp() }, bob.sessionUser);
  timers.advance(1_000);
  session?.hangUp();
  timers.advance(10_000);
  expect([sent('BYE').length, bob.events]).toEqual([0, ['ended local']]);
  timers.advance(60_000);
  expect(sent('BYE').length).toBeGreaterThan(0);
  timers.advance(60_000);
  expect([bob.agent.dialogs, bob.agent.transactions.size]).toEqual([0, 0]);
});

test('a 2xx is repeated until its ACK, also over TCP; none within 32 s ends the call', () => {
  const { bob, place, accept, timers, network, responses } = createWorld();
  place({ targets: [at(addresses.bob, 'TCP')] });
  network.silence(addresses.alice);
  accept();
  timers.advance(33_000);
  expect(responses(200).length).toBeGreaterThan(8);
  expect(bob.events).toEqual(['ended unacknowledged']);
});

test('a repeated 2xx gets the same ACK again', () => {
  const { peerRequests, peerAnswers, place } = createWorld();
  place({ targets: [at(addresses.peer)] });
  const invite = peerRequests('INVITE')[0] ?? expect.unreachable();
  peerAnswers(invite, 200, 't');
  peerAnswers(invite, 200, 't');
  const acks = peerRequests('ACK');
  expect(acks).toHaveLength(2);
  expect(acks[0]?.via).toEqual(acks[1]?.via);
});

test('a re-INVITE waits for the ACK of the answer, which it could overtake', () => {
  const { bob, place, ringing, timers, sent, responses } = createWorld();
  place();
  const session = ringing().accept({ content: sdp() }, bob.sessionUser) ?? expect.unreachable();
  const outcomes: (number | undefined)[] = [];
  session.reinvite({ content: sdp('moved') }, (response) => {
    outcomes.push(response?.status);
    if (response) session.acknowledge(response);
  });
  expect([sent('INVITE').length, sent('ACK').length]).toEqual([1, 0]);
  timers.advance(10);
  expect([sent('INVITE').length, outcomes, responses(481)]).toEqual([2, [200], []]);
});

test('a re-INVITE that waits for an ACK is told when the call ends without one', () => {
  const { bob, place, ringing, timers, network } = createWorld();
  place();
  network.silence(addresses.alice);
  const session = ringing().accept({ content: sdp() }, bob.sessionUser) ?? expect.unreachable();
  const outcomes: (number | undefined)[] = [];
  session.reinvite({ content: sdp('moved') }, (response) => outcomes.push(response?.status));
  timers.advance(70_000);
  expect([outcomes, bob.events]).toEqual([[undefined], ['ended unacknowledged']]);
});

test('a 481 that overtakes the BYE of a peer that has hung up does not make the call a lost one', () => {
  const { alice, peerRequests, peerAnswers, peerSends, place, timers } = createWorld();
  place({ targets: [at(addresses.peer)] });
  const invite = peerRequests('INVITE')[0] ?? expect.unreachable();
  peerAnswers(invite, 200, 't');
  alice.sessions[0]?.keepAlive(1_000);
  timers.advance(1_005);
  peerAnswers(peerRequests('OPTIONS')[0] ?? expect.unreachable(), 481, 't');
  expect(alice.sessions[0]?.isEnded).toBe(false);
  const bye = new SipRequest('BYE', 'sip:192.0.2.1');
  bye.headers.add('Via', 'SIP/2.0/UDP 192.0.2.3:5060;branch=z9hG4bKbye');
  bye.headers.add('From', `${invite.headers.first('To')};tag=t`);
  bye.headers.add('To', invite.headers.first('From') ?? '');
  bye.headers.add('Call-ID', invite.callId);
  bye.headers.add('CSeq', '1 BYE');
  peerSends(bye, addresses.alice);
  timers.advance(5_000);
  expect([alice.events.at(-1), peerRequests('BYE').length]).toEqual(['ended remote', 0]);
});

test('re-INVITE: hold and resume, the ACK matched by its number', () => {
  const { alice, bob, talk, timers } = createWorld();
  const { a, b } = talk();
  const outcomes: (number | null)[] = [];
  a.reinvite({ content: sdp('hold') }, (response) => {
    outcomes.push(response?.status ?? null);
    if (response) a.acknowledge(response);
  });
  timers.advance(10);
  b.reinvite({ content: sdp('resume') }, (response) => {
    outcomes.push(response?.status ?? null);
    if (response) b.acknowledge(response);
  });
  timers.advance(40_000);
  expect(outcomes).toEqual([200, 200]);
  expect([alice.events, bob.events]).toEqual([
    ['answered', 'INVITE', 'acknowledged'],
    ['acknowledged', 'INVITE', 'acknowledged'],
  ]);
});

test('glare: both get 491, wait for different times and succeed (trap 11)', () => {
  const { alice, bob, talk, timers, responses } = createWorld();
  const { a, b } = talk();
  const outcomes: string[] = [];
  for (const [name, session] of [
    ['a', a],
    ['b', b],
  ] as const) {
    session.reinvite({ content: sdp() }, (response) => {
      outcomes.push(`${name} ${response?.status}`);
      if (response && response.status < 300) session.acknowledge(response);
    });
  }
  timers.advance(10);
  expect(responses(491)).toHaveLength(2);
  timers.advance(10_000);
  expect(outcomes.sort()).toEqual(['a 200', 'b 200']);
  expect([alice.events.includes('ended lost'), bob.events.includes('ended lost')]).toEqual([false, false]);
});

test('a second INVITE before the first is answered gets 500 with Retry-After (trap 11)', () => {
  const { bob, talk, timers, responses, sent, peerSends } = createWorld();
  bob.sessionUser.request = () => undefined;
  const { a } = talk();
  a.reinvite({ content: sdp() }, () => undefined);
  timers.advance(5);
  const first = sent('INVITE').at(-1) ?? expect.unreachable();
  const second = new SipRequest('INVITE', first.uri, first.headers.clone());
  second.headers.set('Via', 'SIP/2.0/UDP 192.0.2.3;branch=z9hG4bKsecond');
  second.headers.set('CSeq', `${first.cseq.number + 1} INVITE`);
  peerSends(second, addresses.bob);
  expect(responses(500)[0]?.headers.has('Retry-After')).toBe(true);
});

test('a refused re-INVITE leaves the call as it was (trap 14)', () => {
  const { alice, bob, talk, timers } = createWorld();
  const { a } = talk();
  bob.sessionUser.request = (session, transaction) => session.answer(transaction, 488);
  let status = 0;
  a.reinvite({ content: sdp('t38') }, (response) => {
    status = response?.status ?? 0;
  });
  timers.advance(40_000);
  expect([status, a.isEnded, alice.events]).toEqual([488, false, ['answered']]);
});

test('requests within a dialog: INFO is passed on, UPDATE without a body and OPTIONS are answered here', () => {
  const { bob, talk, timers, responses } = createWorld();
  const { a } = talk();
  const seen: (number | undefined)[] = [];
  for (const method of ['INFO', 'UPDATE', 'OPTIONS']) a.send(method, {}, (response) => seen.push(response?.status));
  timers.advance(10);
  expect(seen).toEqual([200, 200, 200]);
  expect(bob.events).toEqual(['acknowledged', 'INFO']);
  const options = responses(200).find(({ cseq }) => cseq.method === 'OPTIONS');
  expect([options?.headers.has('Allow'), options?.headers.has('Contact')]).toEqual([true, true]);
});

test('requests out of order are refused with 500; BYE is always accepted', () => {
  const { bob, talk, timers, responses } = createWorld();
  const { a } = talk();
  a.dialog.localSequence = 50;
  a.send('INFO', {}, () => undefined);
  timers.advance(5);
  a.dialog.localSequence = 10;
  a.send('INFO', {}, () => undefined);
  timers.advance(5);
  expect(responses(500)).toHaveLength(1);
  a.hangUp();
  timers.advance(5);
  expect(bob.events.at(-1)).toBe('ended remote');
});

test('a peer that forgot the call (481), or does not respond, ends it', () => {
  const first = createWorld();
  const call = first.talk();
  first.bob.agent.removeDialog(call.b.dialog);
  call.a.keepAlive(1_000);
  first.timers.advance(2_000);
  expect(first.alice.events.at(-1)).toBe('ended lost');
  const second = createWorld();
  const { a } = second.talk();
  a.keepAlive(1_000);
  second.timers.advance(5_000);
  expect(a.isEnded).toBe(false);
  second.network.silence(addresses.bob);
  second.timers.advance(40_000);
  expect(second.alice.events.at(-1)).toBe('ended lost');
});

test('session timers: the caller refreshes with UPDATE at half of the interval, and both stay up', () => {
  const { alice, bob, talk, timers, sent } = createWorld();
  const { a } = talk({ expires: 200 });
  timers.advance(650_000);
  expect(sent('UPDATE')).toHaveLength(6);
  expect([a.isEnded, alice.events.length, bob.events.length]).toEqual([false, 1, 1]);
});

test('without refreshes the other side ends the call shortly before the interval is over', () => {
  const { alice, bob, talk, timers, network } = createWorld();
  talk({ expires: 200 });
  network.silence(addresses.alice);
  timers.advance(160_000);
  expect(bob.events).toEqual(['acknowledged']);
  timers.advance(10_000);
  expect(bob.events).toEqual(['acknowledged', 'ended expired']);
  timers.advance(100_000);
  expect(alice.events.at(-1)).toBe('ended lost');
});

test('a peer without UPDATE is refreshed by re-INVITE with the offer as it stands', () => {
  const { talk, timers, sent } = createWorld();
  const { a } = talk({ expires: 200 });
  a.peerAllowsUpdate = false;
  timers.advance(101_000);
  expect(sent('UPDATE')).toEqual([]);
  expect(sent('INVITE').at(-1)?.body.toString()).toBe('v=0');
});

test('route set, target and ACK follow one builder, with loose and strict routes (traps 9 and 10)', () => {
  const fields = {
    callId: 'c',
    localTag: 'l',
    remoteTag: 'r',
    local: '<sip:a@x>;tag=l',
    remote: '<sip:b@x>;tag=r',
    remoteTarget: 'sip:b@192.0.2.9',
    localSequence: 1,
    remoteSequence: null,
    peer: at(addresses.bob),
    contact: '<sip:a@192.0.2.1>',
  };
  const loose = new Dialog({ ...fields, routes: ['<sip:p1;lr>', '<sip:p2;lr>'] });
  for (const method of ['BYE', 'ACK', 'INVITE', 'UPDATE']) {
    const request = loose.createRequest(method, method === 'ACK' ? 1 : undefined);
    expect([request.uri, request.headers.all('Route')]).toEqual(['sip:b@192.0.2.9', ['<sip:p1;lr>', '<sip:p2;lr>']]);
  }
  expect(loose.nextHop).toBe('sip:p1;lr');
  const strict = new Dialog({ ...fields, routes: ['<sip:p1>', '<sip:p2;lr>'] }).createRequest('BYE');
  expect([strict.uri, strict.headers.all('Route')]).toEqual(['sip:p1', ['<sip:p2;lr>', '<sip:b@192.0.2.9>']]);
});

test('Record-Route: the caller reads it backwards, the called side forwards', () => {
  const { peerRequests, peerAnswers, place, timers, alice } = createWorld();
  place({ targets: [at(addresses.peer)] });
  const invite = peerRequests('INVITE')[0] ?? expect.unreachable();
  peerAnswers(invite, 200, 't', { 'Record-Route': '<sip:192.0.2.33;lr>, <sip:192.0.2.3;lr>' });
  alice.sessions[0]?.hangUp();
  timers.advance(5);
  expect(peerRequests('BYE')[0]?.headers.all('Route')).toEqual(['<sip:192.0.2.3;lr>', '<sip:192.0.2.33;lr>']);
});

test('a challenge to a re-INVITE of a call that has ended is not answered: nothing would end the new INVITE', () => {
  const { peerRequests, peerAnswers, place, timers, alice } = createWorld();
  place({ targets: [at(addresses.peer)], account: { username: 'u', password: 'p' } });
  peerAnswers(peerRequests('INVITE')[0] ?? expect.unreachable(), 200, 't');
  alice.sessions[0]?.reinvite({}, () => undefined);
  timers.advance(5);
  const reinvite = peerRequests('INVITE')[1] ?? expect.unreachable();
  peerAnswers(reinvite, 100, 't');
  alice.sessions[0]?.hangUp();
  peerAnswers(reinvite, 401, 't', { 'WWW-Authenticate': 'Digest realm="r", nonce="n"' });
  timers.advance(5);
  expect(peerRequests('INVITE')).toHaveLength(2);
  expect(timers.runUntilQuiet(3_600_000)).toBe(true);
  expect(alice.agent.transactions.size).toBe(0);
});
