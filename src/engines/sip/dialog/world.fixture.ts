/** Two user agents and a scripted peer on a simulated network, with everything that was sent kept for inspection. */
import { responseTo } from '../message/build.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import { serialise } from '../message/serialise.ts';
import { SeededIds } from '../simulation/seeded-ids.fixture.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.fixture.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.fixture.ts';
import { ignoreSent } from '../transport/transport-layer.ts';
import type { Target, TransportName } from '../transport/wire.ts';
import { UserAgent, type UserAgentUser } from '../user-agent.ts';
import type { Content } from './agent.ts';
import type { IncomingCall } from './incoming-call.ts';
import type { OutgoingCall, OutgoingOptions } from './outgoing-call.ts';
import type { Session, SessionUser } from './session.ts';

export const sdp = (text = 'v=0') => ({ type: 'application/sdp', body: Buffer.from(text) });
export const addresses = { alice: '192.0.2.1', bob: '192.0.2.2', peer: '192.0.2.3' };
export const at = (address: string, transport: TransportName = 'UDP'): Target => ({ transport, address, port: 5060 });

/** One end's view: what its user was told, in order. */
interface Party {
  agent: UserAgent;
  events: string[];
  incoming: IncomingCall[];
  sessions: Session[];
  sessionUser: SessionUser;
}

export function createWorld(user: Partial<UserAgentUser> = {}) {
  const timers = new SimulatedTimers();
  const network = new SimulatedNetwork(timers, new SeededRandom(1));
  const wire: SipMessage[] = [];

  const party = (address: string, seed: number): Party => {
    const random = new SeededRandom(seed);
    const events: string[] = [];
    const incoming: IncomingCall[] = [];
    const agent = new UserAgent(
      {
        timers,
        ids: new SeededIds(random),
        random: () => random.next(),
        transport: {
          observer: { trace: (direction, bytes) => void (direction === 'out' && wire.push(parseMessage(bytes))) },
        },
      },
      {
        call: (call) => {
          incoming.push(call);
          call.watch({ cancelled: () => void events.push('cancelled') });
        },
        request: (transaction) => transaction.reply(405),
        ...user,
      },
    );
    for (const transport of ['UDP', 'TCP'] as const) {
      agent.transport.attach(network.listen(transport, address, 5060, agent.transport.received), { host: address });
    }
    const sessionUser: SessionUser = {
      request: (session, transaction) => {
        events.push(transaction.request.method);
        session.answer(transaction, 200, transaction.request.method === 'INVITE' ? { content: sdp() } : {});
      },
      acknowledged: () => void events.push('acknowledged'),
      ended: (_session, cause) => void events.push(`ended ${cause}`),
    };
    return { agent, events, incoming, sessions: [], sessionUser };
  };

  const alice = party(addresses.alice, 2);
  const bob = party(addresses.bob, 3);
  const peerInbox: SipMessage[] = [];
  const peerWire = network.listen('UDP', addresses.peer, 5060, (bytes) => peerInbox.push(parseMessage(bytes)));

  const place = (options: Partial<OutgoingOptions> = {}, ackContent?: Content): OutgoingCall => {
    const call = alice.agent.place(
      {
        uri: 'sip:bob@192.0.2.2',
        from: '<sip:alice@a>',
        to: '<sip:bob@b>',
        targets: [at(addresses.bob)],
        extra: { content: sdp() },
        ...options,
      },
      {
        progress: (_call, response) => void alice.events.push(String(response.status)),
        answered: (_call, session, response) => {
          alice.events.push('answered');
          alice.sessions.push(session);
          session.acknowledge(response, ackContent);
        },
        failed: (_call, status, reason) => void alice.events.push(`failed ${status} ${reason}`),
      },
      alice.sessionUser,
    );
    timers.advance(5);
    return call;
  };

  /** The last call that Bob received. */
  const ringing = (): IncomingCall => {
    const call = bob.incoming.at(-1);
    if (!call) throw new Error('no call');
    return call;
  };

  const accept = (): Session => {
    const session = ringing().accept({ content: sdp() }, bob.sessionUser);
    if (!session) throw new Error('the call is over');
    bob.sessions.push(session);
    timers.advance(5);
    return session;
  };

  /** An established call between Alice and Bob. */
  const talk = (options: Partial<OutgoingOptions> = {}): { a: Session; b: Session } => {
    place(options);
    const b = accept();
    const a = alice.sessions.at(-1);
    if (!a) throw new Error('not answered');
    return { a, b };
  };

  /** The scripted peer sends something to an agent. */
  const peerSends = (message: SipMessage, to: string): void => {
    peerWire.send(serialise(message), at(to), ignoreSent);
    timers.advance(5);
  };

  const peerAnswers = (
    request: SipRequest,
    status: number,
    tag: string,
    headers: Record<string, string> = {},
  ): SipResponse => {
    const response = responseTo(request, status, undefined, tag);
    if (status > 100) response.headers.add('Contact', '<sip:peer@192.0.2.3>');
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    peerSends(response, addresses.alice);
    return response;
  };

  const peerRequests = (method: string): SipRequest[] =>
    peerInbox.filter((message): message is SipRequest => message.isRequest && message.method === method);
  const sent = (method: string): SipRequest[] =>
    wire.filter((message): message is SipRequest => message.isRequest && message.method === method);
  const responses = (status: number): SipResponse[] =>
    wire.filter((message): message is SipResponse => !message.isRequest && message.status === status);

  return {
    timers,
    network,
    alice,
    bob,
    place,
    ringing,
    accept,
    talk,
    peerSends,
    peerAnswers,
    peerRequests,
    peerInbox,
    sent,
    responses,
  };
}
