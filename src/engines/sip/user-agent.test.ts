/**
 * What a user agent answers by itself: OPTIONS, unknown dialogs, extensions, overload, merged and incomplete requests.
 */
import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import { addresses, createWorld } from './dialog/world.fixture.ts';
import { SipRequest } from './message/message.ts';
import { parseMessage } from './message/parse.ts';
import { inviteWith } from './message/samples.fixture.ts';
import { SimulatedTimers } from './simulation/simulated-timers.fixture.ts';

function request(method: string, headers: Record<string, string> = {}): SipRequest {
  const built = new SipRequest(method, 'sip:bob@192.0.2.2');
  const usual = {
    Via: 'SIP/2.0/UDP 192.0.2.3;branch=z9hG4bK1',
    From: '<sip:a@x>;tag=1',
    To: '<sip:b@x>',
    'Call-ID': 'c',
    CSeq: `1 ${method}`,
  };
  for (const [name, value] of Object.entries({ ...usual, ...headers })) built.headers.add(name, value);
  return built;
}

function answerTo(message: SipRequest, user = {}) {
  const world = createWorld(user);
  world.peerSends(message, addresses.bob);
  const last = world.peerInbox.at(-1);
  if (last?.isRequest) throw new Error('a request');
  return { ...world, response: last };
}

test('OPTIONS is always answered completely (trap 17)', () => {
  const { response } = answerTo(request('OPTIONS'));
  expect(response?.status).toBe(200);
  for (const name of ['Contact', 'Allow', 'Accept', 'Supported']) expect(response?.headers.has(name)).toBe(true);
  expect(response?.toTag).not.toBe('');
});

test.each(['BYE', 'INFO', 'INVITE', 'UPDATE', 'PRACK', 'OPTIONS'])('%s of an unknown dialog is 481', (method) => {
  expect(answerTo(request(method, { To: '<sip:b@x>;tag=old', Contact: '<sip:a@192.0.2.3>' })).response?.status).toBe(
    481,
  );
});

test('BYE without a dialog is 481; other methods are the user’s', () => {
  expect(answerTo(request('BYE')).response?.status).toBe(481);
  expect(answerTo(request('SUBSCRIBE')).response?.status).toBe(405);
});

test('an extension that is required and unknown is 420 with its name', () => {
  const { response } = answerTo(request('INVITE', { Require: '100rel, precondition', Contact: '<sip:a@192.0.2.3>' }));
  expect([response?.status, response?.headers.first('Unsupported')]).toEqual([420, 'precondition']);
});

test('an INVITE without a usable Contact is refused', () => {
  expect(answerTo(request('INVITE')).response?.status).toBe(400);
  expect(answerTo(request('INVITE', { Contact: '<tel:+44>' })).response?.status).toBe(416);
});

test('a session interval that is too short is 422 with Min-SE', () => {
  const { response } = answerTo(
    request('INVITE', { Contact: '<sip:a@192.0.2.3>', Supported: 'timer', 'Session-Expires': '30' }),
  );
  expect([response?.status, response?.headers.first('Min-SE')]).toEqual([422, '90']);
});

test('the same INVITE by two ways is one call and 482', () => {
  const { bob, peerSends, peerInbox, response } = answerTo(request('INVITE', { Contact: '<sip:a@192.0.2.3>' }));
  expect(response).toBeUndefined();
  peerSends(
    request('INVITE', { Contact: '<sip:a@192.0.2.3>', Via: 'SIP/2.0/UDP 192.0.2.3;branch=z9hG4bK2' }),
    addresses.bob,
  );
  const last = peerInbox.at(-1);
  expect(last && !last.isRequest && last.status).toBe(482);
  expect(bob.incoming).toHaveLength(1);
});

test('overload: 503 with Retry-After, and no call is made of it', () => {
  const admission = new Admission(
    { rate: { perSecond: 1, burst: 1 }, mostInSetup: 5, mostWaitMs: 100, mostUnreadMs: 1_000 },
    new SimulatedTimers(),
  );
  const overloaded = () => {
    const refusal = admission.admit();
    return refusal && { retryAfter: admission.retryAfter(refusal), reason: 'SIP;cause=503;text="Overload"' };
  };
  const { bob, peerSends, peerInbox } = answerTo(request('INVITE', { Contact: '<sip:a@192.0.2.3>' }), { overloaded });
  peerSends(
    request('INVITE', { Contact: '<sip:a@192.0.2.3>', 'Call-ID': 'd', Via: 'SIP/2.0/UDP 192.0.2.3;branch=z9hG4bK2' }),
    addresses.bob,
  );
  expect(bob.incoming).toHaveLength(1);
  const last = peerInbox.at(-1);
  expect(last && !last.isRequest && [last.status, last.headers.first('Retry-After')]).toEqual([503, '1']);
  expect(last?.headers.first('Reason')).toContain('Overload');
});

test('an unknown header and user=phone do no harm (trap 23)', () => {
  const message = parseMessage(inviteWith({ Via: 'Via: SIP/2.0/UDP 192.0.2.3;branch=z9hG4bK1' }, ['X-Odd: <<<"']));
  if (!message.isRequest) throw new Error('a response');
  expect(answerTo(message).bob.incoming).toHaveLength(1);
});
