/** Two ends of a handshake, and what lies between them: datagrams go through the hands of the test. */
import { createPrivateKey } from 'node:crypto';
import { SimulatedTimers } from '../../sip/simulation/simulated-timers.fixture.ts';
import type { Endpoint } from '../endpoint.ts';
import type { KeyPair } from '../srtp/profiles.ts';
import { type DtlsIdentity, newDtlsIdentity } from './certificate.ts';
import { ClientHandshake } from './client-handshake.ts';
import { DtlsListener } from './dtls-listener.ts';

interface End {
  readonly sent: Buffer[];
  readonly failures: string[];
  keys: KeyPair | null;
  isClosed: boolean;
}

const newEnd = (): End => ({ sent: [], failures: [], keys: null, isClosed: false });

export const clientAt: Endpoint = { address: '192.0.2.1', port: 4_000 };

export const newIdentity = (): DtlsIdentity => newDtlsIdentity(new Date());

export function listen(expected: Uint8Array, own: DtlsIdentity, timers = new SimulatedTimers()) {
  const end = { ...newEnd(), targets: [] as Endpoint[], connectedFrom: null as Endpoint | null };
  const listener = new DtlsListener({
    ...partsOf(end, expected, own, timers),
    send: (datagram, to) => {
      end.sent.push(datagram);
      end.targets.push(to);
    },
    connected: (keys, from) => Object.assign(end, { keys, connectedFrom: from }),
  });
  return Object.assign(end, { listener, timers });
}

export function connect(expected: Uint8Array, own: DtlsIdentity, timers = new SimulatedTimers()) {
  const end = newEnd();
  const handshake = new ClientHandshake(partsOf(end, expected, own, timers));
  return Object.assign(end, { handshake, timers });
}

function partsOf(end: End, expected: Uint8Array, own: DtlsIdentity, timers: SimulatedTimers) {
  return {
    certificate: Buffer.from(own.certificate),
    privateKey: createPrivateKey({ key: Buffer.from(own.privateKey), type: 'pkcs8', format: 'der' }),
    isExpected: (certificate: Buffer) => certificate.equals(expected),
    timers,
    send: (datagram: Buffer) => void end.sent.push(datagram),
    connected: (keys: KeyPair) => {
      end.keys = keys;
    },
    failed: (reason: string) => void end.failures.push(reason),
    closed: () => {
      end.isClosed = true;
    },
  };
}

/** What happens on the way to a datagram: any number of others instead of it. */
export type Way = (datagram: Buffer) => readonly Buffer[];
const goodWay: Way = (datagram) => [datagram];

/** A client and a server that know each other's certificates. */
export function twoEnds(timers = new SimulatedTimers()) {
  const [clientIdentity, serverIdentity] = [newIdentity(), newIdentity()];
  const server = listen(clientIdentity.certificate, serverIdentity, timers);
  const client = connect(serverIdentity.certificate, clientIdentity, timers);
  return { client, server, timers, clientIdentity, serverIdentity };
}

/** Carries datagrams until neither end has more to say. */
export function exchange(
  client: ReturnType<typeof connect>,
  server: ReturnType<typeof listen>,
  { there = goodWay, back = goodWay, from = clientAt }: { there?: Way; back?: Way; from?: Endpoint } = {},
): void {
  while (client.sent.length > 0 || server.sent.length > 0) {
    for (const datagram of client.sent.splice(0).flatMap(there)) server.listener.received(datagram, from);
    for (const datagram of server.sent.splice(0).flatMap(back)) client.handshake.received(datagram);
  }
}
