/**
 * The protection of one medium of one party: what both sides say of it in descriptions, its keys, and each packet. Lies
 * where the sockets are, in a thread of the relay.
 */
import type { Timers } from '../../sip/timers.ts';
import type { DtlsIdentity } from '../dtls/certificate.ts';
import { DtlsSession } from '../dtls/dtls-session.ts';
import type { Endpoint } from '../endpoint.ts';
import { describesIce, IceLite } from '../ice/ice-lite.ts';
import { type PacketKind, packetKind } from '../packet-kind.ts';
import { checkedOffer, type Encryption, type EncryptionMode, encryptionOffered } from './encryption-offered.ts';
import { EncryptionRefused } from './encryption-refused.ts';
import type { KeyPair } from './profiles.ts';
import { Sdes } from './sdes.ts';
import { SrtpKeys } from './srtp-keys.ts';

/** Can be sent to another thread as it is. */
export interface SecureSettings {
  readonly encryption: EncryptionMode;
  /** ICE, DTLS, and RTCP on the same port. */
  readonly isBrowser: boolean;
  readonly identity: DtlsIdentity;
}

interface SecureUser {
  /** Handshakes and answers to checks; `to` is null for wherever the party is reached. */
  send(packet: Buffer, to: Endpoint | null): void;
  /** The party has proven to be there, or wants media there. */
  reached(at: Endpoint): void;
  /** There are keys. */
  ready(): void;
  /** An attempt to agree on keys that came to nothing; another may follow. */
  failed(reason: string): void;
}

/** What a description says of it. */
interface SecureLines {
  readonly encryption: Encryption;
  /** For the session part. */
  readonly session: readonly string[];
  readonly medium: readonly string[];
}

/** Of a browser, which has as many paths. */
const mostPaths = 32;
/** The name of a browser whose packets come by any path that its checks have opened. */
const checkedPeer: Endpoint = { address: 'checked', port: 0 };

export class SecureMedium {
  readonly #settings: SecureSettings;
  readonly #user: SecureUser;
  readonly #keys = new SrtpKeys();
  readonly #timers: Timers;
  readonly #ice: IceLite | null;
  readonly #paths = new Set<string>();
  #path: Endpoint | null = null;
  #encryption: Encryption | null = null;
  /** What the party has offered: it counts when it is answered, and a refused offer never. */
  #offered: { encryption: Encryption; lines: readonly string[] } | null = null;
  /** What we have offered: the answer cannot be another one. */
  #ourOffer: Encryption | null = null;
  #madeSdes: Sdes | null = null;
  #madeDtls: DtlsSession | null = null;

  constructor(settings: SecureSettings, user: SecureUser, timers: Timers) {
    this.#settings = settings;
    this.#user = user;
    this.#ice = settings.isBrowser ? new IceLite() : null;
    this.#timers = timers;
  }

  get #sdes(): Sdes {
    this.#madeSdes ??= new Sdes();
    return this.#madeSdes;
  }

  get #dtls(): DtlsSession {
    this.#madeDtls ??= new DtlsSession({
      ...{ identity: this.#settings.identity, timers: this.#timers },
      send: (datagram, to) => this.#sendHandshake(datagram, to),
      connected: (keys, from) => {
        if (from !== null && this.#ice === null) this.#user.reached(from);
        this.#use(keys);
      },
      failed: (reason) => this.#user.failed(reason),
      closed: () => this.#user.failed('The other side has ended the encryption'),
    });
    return this.#madeDtls;
  }

  /** As shown in the figures of a call. */
  get name(): string {
    const profile = this.#keys.profile;
    const encryption = this.#encryption ?? 'disabled';
    return encryption === 'disabled' || profile === null ? encryption : `${encryption} ${profile}`;
  }

  /** What our offer says; `own` is where the party reaches us. */
  offer(own: readonly Endpoint[]): SecureLines {
    const encryption = this.#encryption ?? this.#usual();
    this.#ourOffer = encryption;
    const medium = { disabled: () => [], srtp_sdes: () => this.#sdes.offer(), srtp_dtls: () => this.#dtls.offer() };
    return this.#lines(encryption, medium[encryption](), own);
  }

  /** What our answer to the party's last offer says. */
  answer(own: readonly Endpoint[]): SecureLines {
    if (this.#offered !== null) this.#accept(this.#offered);
    this.#offered = null;
    const encryption = this.#encryption ?? 'disabled';
    const medium = {
      disabled: () => [],
      srtp_sdes: () => this.#sdes.answerLines(),
      srtp_dtls: () => this.#dtls.answer(),
    };
    return this.#lines(encryption, medium[encryption](), own);
  }

  #accept({ encryption, lines }: { encryption: Encryption; lines: readonly string[] }): void {
    this.#ice?.described(lines, true);
    if (encryption === 'srtp_sdes') {
      this.#sdes.offeredBy(lines);
      this.#use(this.#sdes.answer());
    }
    if (encryption === 'srtp_dtls') this.#dtls.described(lines, true);
    this.#encryption = encryption;
  }

  #lines(encryption: Encryption, medium: readonly string[], own: readonly Endpoint[]): SecureLines {
    if (this.#ice === null) return { encryption, session: [], medium };
    return { encryption, session: this.#ice.sessionLines, medium: [...medium, ...this.#ice.mediaLines(own)] };
  }

  #usual(): Encryption {
    if (this.#settings.isBrowser) return 'srtp_dtls';
    const { encryption } = this.#settings;
    return encryption === 'as offered' ? 'disabled' : encryption;
  }

  /**
   * What the party offers: the protocol of its `m=` line, and its lines, those of the medium before those of the
   * session. Throws `EncryptionRefused`.
   */
  offeredBy(protocol: string, lines: readonly string[]): void {
    this.#offered = { encryption: checkedOffer(protocol, lines, this.#settings), lines };
  }

  /** The same of what it answers to our last offer. */
  answered(protocol: string, lines: readonly string[]): void {
    const encryption = encryptionOffered(protocol, lines, this.#settings);
    if (encryption !== this.#ourOffer) {
      throw new EncryptionRefused(`Media encryption ${this.#ourOffer} was offered, and ${encryption} was answered`);
    }
    if (this.#ice !== null && !describesIce(lines)) {
      throw new EncryptionRefused('A browser has to describe its media with ICE');
    }
    this.#ice?.described(lines, false);
    if (encryption === 'srtp_sdes') this.#use(this.#sdes.answered(lines));
    if (encryption === 'srtp_dtls') this.#dtls.described(lines, false);
    this.#encryption = encryption;
  }

  #use(keys: KeyPair): void {
    this.#keys.use(keys);
    this.#user.ready();
  }

  /** Takes a packet of the handshake, or a check of the path; false for any other. */
  received(packet: Buffer, from: Endpoint): boolean {
    const kind = packetKind(packet);
    if (kind === 'stun' && this.#ice !== null) this.#receiveCheck(this.#ice, packet, from);
    else if (kind === 'dtls' && this.#mayShakeHands(from)) {
      this.#dtls.received(packet, this.#ice === null ? from : checkedPeer);
    } else return kind === 'dtls' && this.#encryption === 'srtp_dtls';
    return true;
  }

  #mayShakeHands(from: Endpoint): boolean {
    if (this.#ice !== null) return this.#paths.has(nameOf(from));
    const expected = this.#encryption ?? this.#settings.encryption;
    return expected === 'srtp_dtls';
  }

  #receiveCheck(ice: IceLite, packet: Buffer, from: Endpoint): void {
    const checked = ice.received(packet, from);
    if (checked === null) return;
    this.#user.send(checked.response, from);
    if (!checked.isValid) return;
    if (this.#paths.size < mostPaths) this.#paths.add(nameOf(from));
    if (this.#path !== null && !checked.isNominated) return;
    this.#path = from;
    this.#user.reached(from);
  }

  #sendHandshake(datagram: Buffer, to: Endpoint | null): void {
    if (this.#ice === null) this.#user.send(datagram, to);
    else if (this.#path !== null) this.#user.send(datagram, this.#path);
  }

  /** The packet, in the same bytes; null, and why, if it does not count. */
  unprotect(packet: Buffer, kind: MediaKind, dropped: (reason: string) => void): Buffer | null {
    return this.isPlain ? packet : this.#keys.open(packet, kind, dropped);
  }

  /** Null while there are no keys, and for what must not be sent. */
  protect(packet: Uint8Array, kind: MediaKind): Uint8Array | null {
    return this.isPlain ? packet : this.#keys.protect(packet, kind);
  }

  /** Agreed to have none. */
  get isPlain(): boolean {
    return this.#encryption === 'disabled';
  }

  close(): void {
    this.#madeDtls?.close();
  }
}

type MediaKind = Extract<PacketKind, 'rtp' | 'rtcp'>;

const nameOf = ({ address, port }: Endpoint): string => `${address} ${port}`;
