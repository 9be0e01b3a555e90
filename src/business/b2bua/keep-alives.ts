/**
 * Keeps the way to registered phones behind NAT open: routers forget a UDP mapping after half a minute. Sent from the
 * port that the registration came to, so each process does it for those it has taken itself.
 */

import { addressOfHost, parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import type { Binding } from '../../engines/sip/registrar/bindings.ts';
import { isHidden } from '../../engines/sip/resolve/hidden-address.ts';
import type { Timer } from '../../engines/sip/timers.ts';
import { ignoreSent } from '../../engines/sip/transport/transport-layer.ts';
import type { Flow } from '../../engines/sip/transport/wire.ts';
import type { SipEndpoint } from './endpoint.ts';
import { natKeepAliveMs } from './legs.ts';

/** Two empty lines: peers ignore them (RFC 3261 7.5), routers see traffic. */
const emptyLines = Buffer.from('\r\n\r\n');
const mostPhones = 50_000;

export class KeepAlives {
  readonly #endpoint: SipEndpoint;
  readonly #phones = new Map<string, { flow: Flow; expiresAt: number }>();
  #timer: Timer | null = null;

  constructor(endpoint: SipEndpoint) {
    this.#endpoint = endpoint;
  }

  /** Phones that are kept open, for tests. */
  get size(): number {
    return this.#phones.size;
  }

  /** A registration came by `flow`; `bindings` are all contacts of its address of record. */
  registered(flow: Flow, bindings: readonly Binding[]): void {
    const key = `${flow.address} ${flow.port}`;
    const own = bindings.find(({ source }) => source.address === flow.address && source.port === flow.port);
    if (own === undefined || flow.transport !== 'UDP' || own.path.length > 0 || !isBehindNat(own)) {
      this.#phones.delete(key);
      return;
    }
    if (this.#phones.size >= mostPhones) return;
    this.#phones.set(key, { flow, expiresAt: own.expiresAt });
    this.#timer ??= this.#endpoint.timers.after(natKeepAliveMs, sendAll, this);
  }

  send(): void {
    const now = this.#endpoint.env.clock.now().getTime();
    for (const [key, { flow, expiresAt }] of this.#phones) {
      if (expiresAt <= now) this.#phones.delete(key);
      else this.#endpoint.agent.transport.send(emptyLines, flow, ignoreSent);
    }
    this.#timer = this.#phones.size === 0 ? null : this.#endpoint.timers.after(natKeepAliveMs, sendAll, this);
  }

  stop(): void {
    this.#timer?.close();
    this.#phones.clear();
  }
}

function sendAll(keepAlives: KeepAlives): void {
  keepAlives.send();
}

const isBehindNat = ({ uri, source }: Binding): boolean =>
  isHidden(addressOfHost(parseSipUriOnly(uri).host), source.address);
