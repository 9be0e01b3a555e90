/** Calls until they are answered: progress, refusal, cancelling, forks, challenges, failover. */
import { expect, test } from 'vitest';
import { dialogOfResponse } from './dialog.ts';
import { DialogRequest } from './dialog-request.ts';
import { addresses, at, createWorld, sdp } from './world.fixture.ts';

const toPeer = { targets: [at(addresses.peer)], uri: 'sip:x@192.0.2.3' };

test('a call: ringing, answer, acknowledgement, hang-up by the caller', () => {
  const { alice, bob, place, ringing, accept, timers } = createWorld();
  place();
  ringing().progress(180);
  timers.advance(5);
  accept();
  alice.sessions[0]?.hangUp();
  timers.advance(40_000);
  expect(alice.events).toEqual(['180', 'answered', 'ended local']);
  expect(bob.events).toEqual(['acknowledged', 'ended remote']);
  for (const { agent } of [alice, bob]) expect([agent.dialogs, agent.transactions.size]).toEqual([0, 0]);
});

test('the called side hangs up, over the address that was advertised (trap 1)', () => {
  const { alice, bob, talk, timers, sent } = createWorld();
  const { b } = talk();
  b.hangUp({ headers: [['Reason', 'Q.850;cause=16']] });
  timers.advance(40_000);
  expect([alice.events.at(-1), bob.events.at(-1)]).toEqual(['ended remote', 'ended local']);
  expect(sent('BYE').map(({ uri }) => uri)).toEqual(['sip:192.0.2.1:5060']);
  expect(sent('BYE')[0]?.headers.first('Reason')).toBe('Q.850;cause=16');
});

test('every 18x is passed on, a 180 after a 183 too (trap 4)', () => {
  const { alice, place, ringing, timers } = createWorld();
  place();
  for (const status of [183, 180, 183]) ringing().progress(status);
  timers.advance(5);
  expect(alice.events).toEqual(['183', '180', '183']);
});

test('a refusal has its status and reason; its ACK keeps Route, the ACK of a 2xx follows the dialog (trap 9 of the list)', () => {
  const { alice, place, ringing, timers, sent } = createWorld();
  const routes = ['<sip:192.0.2.2;lr>'];
  place({ routes });
  ringing().reject(480, { headers: [['Reason', 'SIP;cause=480;text="No channel free"']] }, 'No channel free');
  timers.advance(5);
  expect(alice.events).toEqual(['failed 480 No channel free']);
  expect(sent('ACK')[0]?.headers.all('Route')).toEqual(routes);
  expect(sent('ACK')[0]?.via).toEqual(sent('INVITE')[0]?.via);
});

test('CANCEL waits for a provisional response, and 487 ends both sides (traps 7 and 8)', () => {
  const { alice, peerRequests, peerAnswers, place, timers } = createWorld();
  const call = place(toPeer);
  call.cancel('SIP;cause=200');
  timers.advance(3_000);
  expect([alice.events, peerRequests('CANCEL').length]).toEqual([['failed 487 Request Terminated'], 0]);
  const [invite] = peerRequests('INVITE');
  if (!invite) throw new Error('no INVITE');
  peerAnswers(invite, 180, 't1');
  expect(peerRequests('CANCEL')).toHaveLength(1);
  peerAnswers(invite, 487, 't1');
  expect(peerRequests('ACK')).toHaveLength(1);
  timers.advance(70_000);
  expect([alice.agent.dialogs, alice.agent.transactions.size, alice.events.length]).toEqual([0, 0, 1]);
});

test('a cancelled call is told once, and cannot be answered or rung any more', () => {
  const { bob, place, ringing, timers, responses } = createWorld();
  const call = place();
  ringing().progress(180);
  timers.advance(5);
  call.cancel();
  timers.advance(5);
  expect([bob.events, ringing().isOver]).toEqual([['cancelled'], true]);
  expect(ringing().accept({}, bob.sessionUser)).toBeNull();
  ringing().progress(183);
  ringing().reject(486);
  timers.advance(5);
  expect([responses(487).length, responses(486).length, responses(183).length]).toEqual([1, 0, 0]);
});

test('a 200 that crosses CANCEL is acknowledged and hung up; the called side ends once', () => {
  const { alice, bob, place, ringing, timers, sent } = createWorld();
  const call = place();
  ringing().progress(180);
  timers.advance(5);
  ringing().accept({ content: sdp() }, bob.sessionUser);
  call.cancel();
  timers.advance(70_000);
  expect(alice.events).toEqual(['180', 'failed 487 Request Terminated']);
  expect(bob.events).toEqual(['acknowledged', 'ended remote']);
  expect([sent('ACK').length, sent('BYE').length]).toEqual([1, 1]);
  expect([alice.agent.dialogs, bob.agent.dialogs]).toEqual([0, 0]);
});

test('of a forked call the first 2xx is the answer, the others are acknowledged and hung up', () => {
  const { alice, peerRequests, peerAnswers, place } = createWorld();
  place(toPeer);
  const [invite] = peerRequests('INVITE');
  if (!invite) throw new Error('no INVITE');
  peerAnswers(invite, 180, 'one');
  peerAnswers(invite, 183, 'two');
  expect(alice.agent.dialogs).toBe(2);
  peerAnswers(invite, 200, 'two');
  peerAnswers(invite, 200, 'one');
  peerAnswers(invite, 200, 'two');
  expect(alice.events).toEqual(['180', '183', 'answered']);
  expect(peerRequests('ACK').map(({ toTag }) => toTag)).toEqual(['two', 'one', 'two']);
  expect(peerRequests('BYE').map(({ toTag }) => toTag)).toEqual(['one']);
});

test('before the answer the called side may send OPTIONS and UPDATE; a new offer then is 491, out of order 500', () => {
  const { place, ringing, timers, bob, responses } = createWorld();
  place();
  ringing().progress(183);
  timers.advance(5);
  const seen: string[] = [];
  const send = (method: string, extra = {}) => {
    const finished = (response: { status: number } | null) => void seen.push(`${method} ${response?.status}`);
    new DialogRequest({ agent: bob.agent, dialog: ringing().dialog, method, extra, account: null, finished }).send();
    timers.advance(5);
  };
  send('OPTIONS');
  send('UPDATE');
  send('UPDATE', { content: sdp() });
  send('INFO');
  ringing().dialog.localSequence = 0;
  send('OPTIONS');
  expect(seen).toEqual(['OPTIONS 200', 'UPDATE 200', 'UPDATE 491', 'INFO 481', 'OPTIONS 500']);
  expect(responses(200).every((response) => response.headers.has('Allow'))).toBe(true);
});

test('the caller may ask and hang up before the answer: OPTIONS, UPDATE, BYE', () => {
  const { place, ringing, timers, alice, bob, sent, responses } = createWorld();
  place();
  ringing().progress(183);
  timers.advance(5);
  const [invite, progress] = [sent('INVITE')[0] ?? expect.unreachable(), responses(183)[0] ?? expect.unreachable()];
  const dialog = dialogOfResponse(invite, progress, at(addresses.bob));
  const seen: (number | undefined)[] = [];
  for (const method of ['OPTIONS', 'UPDATE', 'PRACK', 'INFO', 'BYE']) {
    const finished = (response: { status: number } | null) => void seen.push(response?.status);
    new DialogRequest({ agent: alice.agent, dialog, method, extra: {}, account: null, finished }).send();
    timers.advance(5);
  }
  expect(seen).toEqual([200, 200, 481, 481, 200]);
  expect([alice.events.at(-1), bob.events]).toEqual(['failed 487 Request Terminated', ['cancelled']]);
});

test('no response at all moves to the next target after 4 s; a late 200 of the first is hung up', () => {
  const { alice, peerRequests, peerAnswers, place, ringing, timers } = createWorld();
  const failed: string[] = [];
  place({ targets: [at(addresses.peer), at(addresses.bob)], targetFailed: ({ address }) => failed.push(address) });
  timers.advance(4_000);
  expect(failed).toEqual([addresses.peer]);
  ringing().progress(180);
  timers.advance(5);
  const [invite] = peerRequests('INVITE');
  if (!invite) throw new Error('no INVITE');
  peerAnswers(invite, 200, 'late');
  expect([peerRequests('ACK').length, peerRequests('BYE').length]).toEqual([1, 1]);
  expect(alice.events).toEqual(['180']);
});

test('503 and unreachable targets fail over, 486 does not', () => {
  const { alice, bob, place, ringing, timers } = createWorld();
  const nowhere = { transport: 'TCP', address: '192.0.2.77', port: 5060 } as const;
  place({ targets: [nowhere, at(addresses.bob), at(addresses.peer)] });
  timers.advance(10);
  ringing().reject(486);
  timers.advance(5);
  expect(alice.events).toEqual(['failed 486 Busy Here']);
  place({ targets: [at(addresses.bob), at(addresses.bob)] });
  ringing().reject(503);
  timers.advance(5);
  expect(bob.incoming).toHaveLength(3);
  ringing().reject(503);
  timers.advance(5);
  expect(alice.events.at(-1)).toBe('failed 503 Service Unavailable');
});

test('the ringing timeout cancels', () => {
  const { alice, bob, place, ringing, timers } = createWorld();
  place({ ringingMs: 30_000 });
  ringing().progress(180);
  timers.advance(31_000);
  expect([alice.events.at(-1), bob.events]).toEqual(['failed 408 Ringing Timeout', ['cancelled']]);
});

test('a challenge is answered with CSeq + 1 and the same Call-ID, stale once more, and a wrong password ends it', () => {
  const { alice, peerRequests, peerAnswers, place } = createWorld();
  place({ ...toPeer, account: { username: 'u', password: 'p' } });
  const challenge = (stale: boolean, nonce: string) => ({
    'Proxy-Authenticate': `Digest realm="r", nonce="${nonce}", qop="auth"${stale ? ', stale=true' : ''}`,
  });
  const last = () => peerRequests('INVITE').at(-1) ?? expect.unreachable();
  peerAnswers(last(), 407, 't', challenge(false, '1'));
  expect(last().cseq.number).toBe(2);
  expect(last().headers.first('Proxy-Authorization')).toContain('username="u"');
  peerAnswers(last(), 407, 't', challenge(true, '2'));
  expect(last().headers.first('Proxy-Authorization')).toContain('nonce="2"');
  expect(new Set(peerRequests('INVITE').map(({ callId }) => callId)).size).toBe(1);
  peerAnswers(last(), 407, 't', challenge(false, '3'));
  expect(alice.events).toEqual(['failed 407 Proxy Authentication Required']);
  expect(peerRequests('INVITE')).toHaveLength(3);
});

test('422 is tried again at the same target with its Min-SE (trap 3)', () => {
  const { alice, peerRequests, peerAnswers, place } = createWorld();
  place({ ...toPeer, expires: 100 });
  peerAnswers(peerRequests('INVITE')[0] ?? expect.unreachable(), 422, 't', { 'Min-SE': '600' });
  const second = peerRequests('INVITE')[1] ?? expect.unreachable();
  expect([second.headers.first('Session-Expires'), second.headers.first('Min-SE'), second.cseq.number]).toEqual([
    '600',
    '600',
    2,
  ]);
  expect(alice.events).toEqual([]);
});

test('an INVITE without SDP is a delayed offer: the answer goes in the ACK (trap 12)', () => {
  const { bob, place, accept } = createWorld();
  const answers: string[] = [];
  bob.sessionUser.acknowledged = (_session, ack) => void answers.push(ack.body.toString());
  place({ extra: {} }, sdp('answer'));
  accept();
  expect(answers).toEqual(['answer']);
});
