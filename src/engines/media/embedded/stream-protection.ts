/**
 * The protection of one medium of one party, where its packets pass: which of them are handshakes and checks, what a
 * stranger may cost, and why there are no keys.
 */
import { machineTimers } from '../../sip/timers.ts';
import type { Endpoint } from '../endpoint.ts';
import { packetKind } from '../packet-kind.ts';
import { SecureMedium, type SecureSettings } from '../srtp/secure-medium.ts';
import { PacketLimit } from './packet-limit.ts';

interface ProtectionUser {
  send(packet: Buffer, to: Endpoint): void;
  /** Where the party is sent to now; null as long as it is not known. */
  target(): Endpoint | null;
  /** The party is there for certain. */
  reached(at: Endpoint): void;
  dropped(reason: string): void;
}

type MediaKind = 'rtp' | 'rtcp';

/** Packets a second, of the party and of everybody else, that cost a look into them or a hash. */
const mostOf = { party: 500, others: 1_000, othersMedia: 100 };

export class StreamProtection {
  readonly #user: ProtectionUser;
  readonly #medium: SecureMedium;
  readonly #ofParty = new PacketLimit(mostOf.party);
  readonly #ofOthers = new PacketLimit(mostOf.others);
  readonly #mediaOfOthers = new PacketLimit(mostOf.othersMedia);
  readonly #dropped: (reason: string) => void;
  #failure: string | null = null;
  /** The beginning of a handshake with a party whose place is not known yet. */
  #unsent: Buffer | null = null;

  constructor(settings: SecureSettings, user: ProtectionUser) {
    this.#user = user;
    this.#dropped = (reason) => user.dropped(reason);
    const secureUser = {
      send: (packet: Buffer, to: Endpoint | null) => this.#send(packet, to),
      reached: (at: Endpoint) => user.reached(at),
      ready: () => {
        this.#failure = null;
      },
      failed: (reason: string) => {
        this.#failure = reason;
      },
    };
    this.#medium = new SecureMedium(settings, secureUser, machineTimers);
  }

  /** What descriptions say of it. */
  get described(): Pick<SecureMedium, 'offer' | 'offeredBy' | 'answer' | 'answered'> {
    return this.#medium;
  }

  /** As shown in the figures of a call. */
  get name(): string {
    return this.#failure === null ? this.#medium.name : `${this.#medium.name} (${this.#failure})`;
  }

  /** It is known now where the party is. */
  begin(): void {
    if (this.#unsent !== null) this.#send(this.#unsent, null);
  }

  #send(packet: Buffer, to: Endpoint | null): void {
    const target = to ?? this.#user.target();
    this.#unsent = target === null ? packet : null;
    if (target !== null) this.#user.send(packet, target);
  }

  /** Takes what is no media: handshakes, and checks of the path. False for anything else. */
  takes(packet: Buffer, from: Endpoint, isParty: boolean, now: number): boolean {
    const kind = packetKind(packet);
    if (kind !== 'stun' && kind !== 'dtls') return false;
    if ((isParty ? this.#ofParty : this.#ofOthers).take(now)) return this.#medium.received(packet, from);
    this.#user.dropped('rate');
    return true;
  }

  /** Null for a packet that was dropped. */
  unprotect(packet: Buffer, kind: MediaKind, isParty: boolean, now: number): Buffer | null {
    if (this.#medium.isPlain || isParty || this.#mediaOfOthers.take(now))
      return this.#medium.unprotect(packet, kind, this.#dropped);
    this.#user.dropped('rate');
    return null;
  }

  protect(packet: Uint8Array, kind: MediaKind): Uint8Array | null {
    return this.#medium.protect(packet, kind);
  }

  close(): void {
    this.#medium.close();
  }
}
