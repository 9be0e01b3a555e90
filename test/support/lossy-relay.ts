/** A stretch of network on loopback that loses datagrams: what reaches its port goes on to another one, and back. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';

interface LossyRelay {
  readonly port: number;
  /** Datagrams that it has lost. */
  readonly lost: number;
  close(): void;
}

/** Each peer has a socket of its own towards the other side, which therefore answers it and nobody else. */
export async function openLossyRelay(to: number, loss: number, seed: number): Promise<LossyRelay> {
  const random = new SeededRandom(seed);
  const outer = createSocket('udp4');
  const inner = new Map<number, Socket>();
  let lost = 0;
  const isLost = (): boolean => {
    if (!random.chance(loss)) return false;
    lost += 1;
    return true;
  };
  const innerFor = (peer: number): Socket => {
    const known = inner.get(peer);
    if (known !== undefined) return known;
    const socket = createSocket('udp4');
    socket.on('message', (bytes) => {
      if (!isLost()) outer.send(bytes, peer, '127.0.0.1');
    });
    inner.set(peer, socket);
    return socket;
  };
  outer.on('message', (bytes, { port }) => {
    if (!isLost()) innerFor(port).send(bytes, to, '127.0.0.1');
  });
  outer.bind(0, '127.0.0.1');
  await once(outer, 'listening');
  return {
    port: outer.address().port,
    get lost() {
      return lost;
    },
    close: () => {
      for (const socket of [outer, ...inner.values()]) socket.close();
    },
  };
}
