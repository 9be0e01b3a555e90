/**
 * Where a request came from. Behind an edge that is what the edge says in a header; the header counts only if the
 * request was received from the address of an edge, because anybody can write it.
 */
import { isIP } from 'node:net';
import type { SipRequest } from '../../engines/sip/message/message.ts';
import type { Flow, Peer, TransportName } from '../../engines/sip/transport/wire.ts';
import { allowList, isAllowed } from '../accounts/allowed-ips.ts';
import { sourceHeader } from '../edge/edge-settings.ts';

export class Sources {
  readonly #edges: ReturnType<typeof allowList>;

  /** Addresses and networks of edges. */
  constructor(edges: readonly string[]) {
    this.#edges = allowList(edges);
  }

  of({ request, flow }: { request: SipRequest; flow: Flow }): Peer {
    const { transport, address, port } = flow;
    const told = this.isEdge(address) ? read(request.headers.first(sourceHeader)) : null;
    return told ?? { transport, address, port };
  }

  /** An edge is never taken for a flood: it sends the requests of everybody. */
  isEdge(address: string): boolean {
    return this.#edges !== null && isAllowed(this.#edges, address);
  }
}

const transports: Readonly<Record<string, TransportName>> = {
  ...{ udp: 'UDP', tcp: 'TCP', tls: 'TLS' },
  ...{ ws: 'WS', wss: 'WSS' },
};

/** `udp 203.0.113.7 5060`. */
function read(value: string | undefined): Peer | null {
  const [, name = '', address = '', port = ''] = /^(\w+) (\S+) (\d{1,5})$/.exec(value?.trim() ?? '') ?? [];
  const transport = transports[name.toLowerCase()];
  return transport && isIP(address) !== 0 ? { transport, address, port: Number(port) } : null;
}
