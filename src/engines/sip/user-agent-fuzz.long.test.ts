/**
 * Mutated requests and responses in the middle of real calls, from a printed seed: nothing throws, and nothing is left
 * behind.
 */
import { expect, test } from 'vitest';
import type { Session, SessionUser } from './dialog/session.ts';
import { responseTo } from './message/build.ts';
import { checkMessage } from './message/check.ts';
import { SipRequest } from './message/message.ts';
import { mutate } from './message/mutate.fixture.ts';
import { parseMessage } from './message/parse.ts';
import { serialise } from './message/serialise.ts';
import { SeededIds } from './simulation/seeded-ids.fixture.ts';
import { SeededRandom, testSeed } from './simulation/seeded-random.fixture.ts';
import { SimulatedNetwork } from './simulation/simulated-network.fixture.ts';
import { SimulatedTimers } from './simulation/simulated-timers.fixture.ts';
import { ignoreSent } from './transport/transport-layer.ts';
import { UserAgent } from './user-agent.ts';

const packets = 10_000;
const methods = ['INVITE', 'INVITE', 'ACK', 'BYE', 'CANCEL', 'PRACK', 'UPDATE', 'OPTIONS', 'INFO', 'REGISTER', 'REFER'];
const statuses = [100, 180, 183, 200, 200, 202, 302, 401, 407, 422, 486, 491, 503, 603];
const target = { transport: 'UDP', address: '192.0.2.1', port: 5060 } as const;

test(`${packets} mutated packets in the middle of calls`, () => {
  const seed = testSeed();
  console.log(`user agent fuzz: SIP_SEED=${seed}`);
  const random = new SeededRandom(seed);
  const timers = new SimulatedTimers();
  const network = new SimulatedNetwork(timers, new SeededRandom(seed + 1));
  const ends = new Map<Session, number>();
  const sessionUser: SessionUser = {
    request: (session, transaction) => session.answer(transaction, random.pick([200, 488])),
    acknowledged: () => undefined,
    ended: (session) => void ends.set(session, (ends.get(session) ?? 0) + 1),
  };
  const agent = new UserAgent(
    { timers, ids: new SeededIds(new SeededRandom(seed + 2)), random: () => random.next() },
    {
      call: (call) => {
        call.progress(180, {}, random.chance(0.3));
        if (random.chance(0.3)) return call.reject(486);
        const session = call.accept({}, sessionUser);
        if (session) timers.after(5_000, (given) => given.hangUp(), session);
      },
      request: (transaction) => transaction.reply(405),
    },
  );
  agent.transport.attach(network.listen('UDP', target.address, 5060, agent.transport.received), {
    host: target.address,
  });

  /** Requests that the agent sent, to be answered, and dialogs it has told of, to be spoken to. */
  const sent: SipRequest[] = [];
  const tags: { callId: string; local: string; remote: string }[] = [{ callId: 'c', local: 'l', remote: 'r' }];
  const peer = network.listen('UDP', '192.0.2.9', 5060, (bytes) => {
    const message = parseMessage(bytes);
    // A refusal repeats the damaged headers of its request.
    if (checkMessage(message)) return;
    if (message.isRequest) sent.push(message);
    else tags.push({ callId: message.callId, local: message.fromTag, remote: message.toTag });
    if (sent.length > 50) sent.shift();
    if (tags.length > 50) tags.shift();
  });

  const madeRequest = (count: number): SipRequest => {
    const method = random.pick(methods);
    const within = method !== 'INVITE' || random.chance(0.3) ? random.pick(tags) : null;
    const request = new SipRequest(method, 'sip:b@192.0.2.1');
    request.headers.add('Via', `SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK${random.below(count + 1)}`);
    request.headers.add('From', `<sip:a@x>;tag=${within?.local ?? count}`);
    request.headers.add('To', within && within.remote !== '' ? `<sip:b@x>;tag=${within.remote}` : '<sip:b@x>');
    request.headers.add('Call-ID', within?.callId ?? `call-${count}`);
    request.headers.add('CSeq', `${1 + random.below(10)} ${method}`);
    request.headers.add('Contact', '<sip:a@192.0.2.9>');
    request.headers.add('Record-Route', '<sip:192.0.2.9;lr>, "x" <sip:192.0.2.9;lr>');
    request.headers.add('Supported', '100rel, timer');
    request.headers.add('Session-Expires', '120;refresher=uas');
    request.headers.add('RAck', '1 1 INVITE');
    return request;
  };

  const madeResponse = (request: SipRequest) => {
    const response = responseTo(request, random.pick(statuses), undefined, random.pick(['t1', 't2']));
    response.headers.add('Contact', '<sip:a@192.0.2.9>');
    response.headers.add('Record-Route', '<sip:192.0.2.9;lr>, "x" <sip:192.0.2.9;lr>');
    response.headers.add('WWW-Authenticate', 'Digest realm="r", nonce="n", qop="auth", stale=true');
    response.headers.add('Session-Expires', '120;refresher=uac');
    response.headers.add('Min-SE', '200');
    if (random.chance(0.3)) {
      response.headers.add('Require', '100rel');
      response.headers.add('RSeq', '1');
    }
    return response;
  };

  const place = () =>
    agent.place(
      {
        uri: 'sip:x@192.0.2.9',
        from: '<sip:b@x>',
        to: '<sip:x@x>',
        targets: [{ ...target, address: '192.0.2.9' }],
        account: { username: 'u', password: 'p' },
        ringingMs: 10_000,
        expires: 100,
      },
      {
        progress: () => undefined,
        answered: (_call, session, response) => {
          session.acknowledge(response);
          if (random.chance(0.5))
            session.reinvite({}, (again) => again && again.status < 300 && session.acknowledge(again));
          timers.after(5_000, (given) => given.hangUp(), session);
        },
        failed: () => undefined,
      },
      sessionUser,
    );

  for (let count = 0; count < packets; count++) {
    if (random.chance(0.05)) place();
    const last = random.chance(0.5) && sent.length > 0 ? random.pick(sent) : null;
    const bytes = serialise(last ? madeResponse(last) : madeRequest(count));
    peer.send(random.chance(0.6) ? mutate(random, bytes) : bytes, target, ignoreSent);
    timers.advance(random.below(40));
  }
  expect(timers.runUntilQuiet(3_600_000)).toBe(true);
  expect([agent.dialogs, agent.transactions.size]).toEqual([0, 0]);
  expect(ends.size).toBeGreaterThan(packets / 200);
  expect([...ends.values()].every((count) => count === 1)).toBe(true);
});
