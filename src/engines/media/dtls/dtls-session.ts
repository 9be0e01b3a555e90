/**
 * DTLS-SRTP of one medium as descriptions agree it (RFC 5763, RFC 8842): whose certificate is expected, who begins, and
 * when a new handshake is due.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Timers } from '../../sip/timers.ts';
import type { Endpoint } from '../endpoint.ts';
import { EncryptionRefused } from '../srtp/encryption-refused.ts';
import type { KeyPair } from '../srtp/profiles.ts';
import type { DtlsIdentity } from './certificate.ts';
import { ClientHandshake } from './client-handshake.ts';
import { DtlsListener } from './dtls-listener.ts';
import { type Fingerprint, formatFingerprint, isCertificateOf, readFingerprints } from './fingerprint.ts';

interface DtlsSessionParts {
  readonly identity: DtlsIdentity;
  readonly timers: Timers;
  /** `to` is null for wherever the party is reached. */
  send(datagram: Buffer, to: Endpoint | null): void;
  /** `from` is where the party has proven to be; null if it was sent to as described. */
  connected(keys: KeyPair, from: Endpoint | null): void;
  failed(reason: string): void;
  closed(): void;
}

type Role = 'active' | 'passive';

/** Of a peer whose answer comes later than its first packets. */
const mostEarly = 4;

export class DtlsSession {
  readonly #parts: DtlsSessionParts;
  readonly #privateKey: KeyObject;
  readonly #early: { datagram: Buffer; from: Endpoint }[] = [];
  #role: Role | null = null;
  /** What the running handshake stands on. */
  #basis = '';
  #running: { received(datagram: Buffer, from: Endpoint): void; close(): void } | null = null;

  constructor(parts: DtlsSessionParts) {
    this.#parts = parts;
    this.#privateKey = createPrivateKey({ key: Buffer.from(parts.identity.privateKey), type: 'pkcs8', format: 'der' });
  }

  offer(): string[] {
    return this.#lines('actpass');
  }

  /** To what was described last. */
  answer(): string[] {
    return this.#lines(this.#role ?? 'passive');
  }

  #lines(setup: Role | 'actpass'): string[] {
    return [formatFingerprint(this.#parts.identity.certificate), `a=setup:${setup}`];
  }

  /**
   * The party's lines, those of the medium before those of the session. A handshake that stands on the same goes on.
   * Throws `EncryptionRefused`.
   */
  described(lines: readonly string[], isOffer: boolean): void {
    const fingerprints = readFingerprints(lines);
    const role = this.#roleFor(setupOf(lines), isOffer);
    const basis = [role, ...fingerprints.map(({ digest }) => Buffer.from(digest).toString('hex'))].join(' ');
    if (basis === this.#basis) return;
    this.#running?.close();
    this.#role = role;
    this.#basis = basis;
    this.#running = role === 'active' ? this.#connect(fingerprints) : this.#listen(fingerprints);
    for (const { datagram, from } of this.#early.splice(0)) this.#running.received(datagram, from);
  }

  /**
   * Where the party leaves it to us, it begins: behind NAT only its first packet opens the way, and it has to show with
   * a cookie where it is.
   */
  #roleFor(setup: string | null, isOffer: boolean): Role {
    if (setup === 'holdconn') throw new EncryptionRefused('The other side wants no DTLS yet (a=setup:holdconn)');
    if (setup === 'passive') return 'active';
    return isOffer && setup === 'actpass' ? (this.#role ?? 'passive') : 'passive';
  }

  received(datagram: Buffer, from: Endpoint): void {
    if (this.#running !== null) this.#running.received(datagram, from);
    else if (this.#early.length < mostEarly) this.#early.push({ datagram: Buffer.from(datagram), from });
  }

  close(): void {
    this.#running?.close();
  }

  #common(fingerprints: readonly Fingerprint[]) {
    const { identity, timers, closed } = this.#parts;
    return {
      ...{ timers, closed, privateKey: this.#privateKey, certificate: Buffer.from(identity.certificate) },
      isExpected: (certificate: Buffer) => fingerprints.some((one) => isCertificateOf(one, certificate)),
    };
  }

  #listen(fingerprints: readonly Fingerprint[]): DtlsListener {
    const { send, connected, failed } = this.#parts;
    return new DtlsListener({ ...this.#common(fingerprints), send, connected, failed });
  }

  /** A peer that has not answered may still be ringing. */
  #connect(fingerprints: readonly Fingerprint[]): ClientHandshake {
    const basis = this.#basis;
    return new ClientHandshake({
      ...this.#common(fingerprints),
      send: (datagram) => this.#parts.send(datagram, null),
      connected: (keys) => this.#parts.connected(keys, null),
      failed: (reason, mayAnswerLater) => {
        this.#parts.failed(reason);
        if (mayAnswerLater && basis === this.#basis) this.#running = this.#connect(fingerprints);
      },
    });
  }
}

function setupOf(lines: readonly string[]): string | null {
  for (const line of lines) {
    const [, setup] = /^a=setup:(active|passive|actpass|holdconn)\s*$/.exec(line) ?? [];
    if (setup !== undefined) return setup;
  }
  return null;
}
