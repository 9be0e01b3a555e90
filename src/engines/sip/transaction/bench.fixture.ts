/** A transaction layer opposite a scripted peer on simulated time. */
import { responseTo } from '../message/build.ts';
import { type SipMessage, SipRequest, type SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import { serialise } from '../message/serialise.ts';
import { SeededIds } from '../simulation/seeded-ids.fixture.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.fixture.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.fixture.ts';
import { ignoreSent, TransportLayer } from '../transport/transport-layer.ts';
import type { Target, TransportName } from '../transport/wire.ts';
import type { ClientTransaction } from './client-transaction.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { TransactionLayer } from './transaction-layer.ts';

type Simulated = 'UDP' | 'TCP';

const us = (transport: TransportName): Target => ({ transport, address: '192.0.2.10', port: 5060 });
export const peer = (transport: TransportName): Target => ({ transport, address: '192.0.2.1', port: 5060 });

/** A request of the peer with this branch, or one to be sent, without a Via. */
export function request(method: string, branch = ''): SipRequest {
  const built = new SipRequest(method, 'sip:b@192.0.2.1');
  if (branch !== '') built.headers.add('Via', `SIP/2.0/UDP 192.0.2.1;branch=${branch}`);
  built.headers.add('From', '<sip:a@x>;tag=1');
  built.headers.add('To', '<sip:b@x>');
  built.headers.add('Call-ID', 'c');
  built.headers.add('CSeq', `1 ${method}`);
  return built;
}

export function createBench() {
  const timers = new SimulatedTimers();
  const network = new SimulatedNetwork(timers, new SeededRandom(1), { loss: 0, duplicates: 0, delayMs: [0, 0] });
  const layer = new TransactionLayer(timers, new SeededIds(new SeededRandom(2)));
  const transport = new TransportLayer(layer, timers);
  for (const name of ['UDP', 'TCP'] as const) {
    transport.attach(network.listen(name, '192.0.2.10', 5060, transport.received), { host: '192.0.2.10' });
  }
  const events: string[] = [];
  const served: ServerTransaction[] = [];
  layer.connect(transport, {
    request: (transaction) => void served.push(transaction),
    ack: (ack) => void events.push(`ack ${ack.cseq.number}`),
    cancelled: () => void events.push('cancelled'),
    unacknowledged: () => void events.push('unacknowledged'),
  });
  /** What the peer received, with the time at which it was received. */
  const peerInbox: { at: number; message: SipMessage }[] = [];
  const receive = (bytes: Buffer) => void peerInbox.push({ at: timers.now(), message: parseMessage(bytes) });
  const peerWire = {
    UDP: network.listen('UDP', '192.0.2.1', 5060, receive),
    TCP: network.listen('TCP', '192.0.2.1', 5060, receive),
  };

  const user = {
    response: (response: SipResponse) => void events.push(String(response.status)),
    failed: (cause: string) => void events.push(cause),
  };
  const start = (method: string, name: Simulated): ClientTransaction => {
    const transaction = layer.send(request(method), peer(name), user);
    timers.advance(0);
    return transaction;
  };
  const peerSends = (message: SipMessage, name: Simulated = 'UDP'): void => {
    peerWire[name].send(serialise(message), us(name), ignoreSent);
    timers.advance(0);
  };
  const peerAnswers = (status: number, name: Simulated = 'UDP'): void => {
    const last = peerInbox.findLast(({ message }) => message.isRequest && message.method !== 'ACK')?.message;
    if (!last?.isRequest) throw new Error('nothing to answer');
    peerSends(responseTo(last, status, undefined, 'peer'), name);
  };
  /** When the peer received a method or status. */
  const times = (what: string): number[] =>
    peerInbox
      .filter(({ message }) => (message.isRequest ? message.method : String(message.status)) === what)
      .map(({ at }) => at);
  return { timers, layer, events, served, peerInbox, peerWire, user, start, peerSends, peerAnswers, times };
}
