/** One party of a relayed call: its ports, what it was told, and whether it is heard. */
import { isIPv6 } from 'node:net';
import { addressPolicy, rangeList } from '../../outbound/address-policy.ts';
import type { DtlsIdentity } from '../dtls/certificate.ts';
import { type HeardMedia, type LegSettings, MediaRefused, MediaUnavailable } from '../media-engine.ts';
import type { SecureSettings } from '../srtp/secure-medium.ts';
import type { Agreement } from './agreement.ts';
import { secureSettings } from './encryption.ts';
import { HeardParty } from './heard-party.ts';
import { MediaStream } from './media-stream.ts';
import { answeredSection, bundledAlone, offeredSection } from './own-section.ts';
import { isRtpProtocol, type PartyDescription } from './read-description.ts';
import { openPair, type PortSource } from './sockets.ts';
import { ToldSession } from './told-description.ts';

/** An address of this machine. */
export interface LocalAddress {
  /** What sockets are bound to. */
  host: string;
  /** What parties are told. */
  told: string;
}

interface LegOptions {
  name: string;
  settings: LegSettings;
  addresses: readonly LocalAddress[];
  ports: PortSource;
  identity: DtlsIdentity;
  silent: () => void;
  keyPressed: (key: string, durationMs: number) => void;
}

const isPublic = addressPolicy({ allowEverything: false, allowedRanges: [] });

export class RelayedLeg {
  readonly name: string;
  readonly settings: LegSettings;
  readonly secure: SecureSettings;
  readonly #options: LegOptions;
  readonly #allowed;
  readonly #session = new ToldSession();
  /** By the index of the medium. */
  readonly #streams: (MediaStream | null)[] = [];
  /** The stream whose figures are the party's: its voice, if it has one. */
  #measured: MediaStream | null = null;
  #offersMux: readonly boolean[] = [];
  #address: LocalAddress | null = null;
  #isDropped = false;
  #shouldSend = false;
  #silentMs = 0;
  #isToldSilent = false;
  /** What it has described and the other has agreed to. */
  description: PartyDescription | null = null;

  constructor(options: LegOptions) {
    this.name = options.name;
    this.settings = options.settings;
    this.secure = secureSettings(options.settings, options.identity);
    this.#options = options;
    const { allowedAddresses } = options.settings;
    this.#allowed = allowedAddresses === null ? null : rangeList(allowedAddresses);
  }

  /** Opens ports for the media that have none. Rejects with `MediaUnavailable`, or `MediaRefused`. */
  async openStreams(wanted: readonly boolean[]): Promise<void> {
    if (this.#isDropped) throw new MediaRefused('The party has left the call.');
    this.#address ??= this.#chooseAddress();
    const opened: number[] = [];
    try {
      for (const [at, isWanted] of wanted.entries()) {
        if (!isWanted || this.stream(at) !== null) continue;
        this.#streams[at] = await this.#openStream(this.#address.host);
        opened.push(at);
      }
    } catch (error) {
      for (const at of opened) this.closeStream(at);
      throw error;
    }
  }

  stream(at: number): MediaStream | null {
    return this.#streams[at] ?? null;
  }

  closeStream(at: number): void {
    this.#streams[at]?.close();
    this.#streams[at] = null;
  }

  /** What another party offers, as this one gets it. */
  offer(offered: PartyDescription): Buffer {
    const own = offered.sections.map((section, at) =>
      offeredSection(section, at, offered.isBrowser, { ...this.#told, stream: this.stream(at) }),
    );
    this.#offersMux = own.map(({ muxes }) => muxes);
    return this.#session.describe(offered, this.#told.address, own, bundledAlone(own, this.settings));
  }

  /** Whether our last offer has RTP and RTCP on one port. */
  offersMux(at: number): boolean {
    return this.#offersMux[at] === true;
  }

  /** What another party answers to this one's offer, as this one gets it. */
  answer(offered: PartyDescription, answer: PartyDescription, agreed: readonly boolean[]): Buffer {
    const own = offered.sections.map((section, at) =>
      answeredSection(section, { ...this.#told, stream: agreed[at] ? this.stream(at) : null }),
    );
    const hasBundle = offered.lines.session.some((line) => line.startsWith('a=group:BUNDLE'));
    const bundle = hasBundle ? bundledAlone(own, this.settings) : [];
    return this.#session.describe(answer, this.#told.address, own, bundle);
  }

  /** It has answered our offer. */
  answered({ sections }: PartyDescription, agreed: readonly boolean[]): void {
    for (const [at, { media, lines }] of sections.entries()) {
      if (agreed[at] && isRtpProtocol(media.protocol))
        this.stream(at)?.protection.described.answered(media.protocol, lines);
    }
  }

  get #told() {
    if (this.#address === null) throw new MediaRefused('The party has no media.');
    return { address: this.#address.told, isBrowser: this.settings.isBrowser, description: this.description };
  }

  /** Throws `MediaRefused` if its addresses cannot be sent to from those that it was told. */
  checkFamily({ sections, isBrowser }: PartyDescription): void {
    if (this.#address === null || isBrowser) return;
    const isSix = isIPv6(this.#address.host);
    if (sections.some(({ isActive, rtp }) => isActive && isIPv6(rtp.address) !== isSix))
      throw new MediaRefused(
        `Its media are on an IPv${isSix ? 4 : 6} address, and it was told one of IPv${isSix ? 6 : 4}.`,
      );
  }

  join(at: number, other: RelayedLeg, agreement: Agreement): void {
    const [own, peer] = [this.stream(at), other.stream(at)];
    if (own === null || peer === null) return;
    own.join(peer, agreement);
    if (this.#measured === null || (own.kind === 'audio' && this.#measured.kind !== 'audio')) this.#measured = own;
  }

  /** From now on it counts whether the party is heard: not while one of the two is on hold. */
  expectVoice(isExpected: boolean): void {
    this.#shouldSend = isExpected;
    this.#silentMs = 0;
  }

  get takesKeyPresses(): boolean {
    return this.#streams.some((stream) => stream?.kind === 'audio' && stream.takesKeyPresses);
  }

  press(key: string, durationMs: number): void {
    this.#streams.find((stream) => stream?.kind === 'audio' && stream.takesKeyPresses)?.press(key, durationMs);
  }

  tick(ms: number): void {
    let packets = 0;
    for (const stream of this.#streams) packets += stream?.tick(ms) ?? 0;
    const { silenceSeconds } = this.settings;
    if (!this.#shouldSend || packets > 0) this.#silentMs = 0;
    else this.#silentMs += ms;
    if (silenceSeconds === null || this.#isToldSilent || this.#silentMs < 1000 * silenceSeconds) return;
    this.#isToldSilent = true;
    this.#options.silent();
  }

  figures(): HeardMedia {
    if (this.#measured === null) return new HeardParty().figures(null, 'disabled');
    return this.#measured.heard.figures(this.#measured.source, this.#measured.encryption);
  }

  drop(): void {
    this.#isDropped = true;
    this.#shouldSend = false;
    for (const at of this.#streams.keys()) this.closeStream(at);
  }

  #chooseAddress(): LocalAddress {
    const described = this.description?.sections.find(({ isActive }) => isActive)?.rtp.address;
    const family = this.settings.family ?? (described === undefined ? null : isIPv6(described) ? 6 : 4);
    const found = this.#options.addresses.find(({ host }) => family === null || isIPv6(host) === (family === 6));
    if (found === undefined) throw new MediaUnavailable(`The media engine has no IPv${family ?? ''} address.`);
    return found;
  }

  async #openStream(host: string): Promise<MediaStream> {
    const { settings, ports, keyPressed } = this.#options;
    return new MediaStream({
      settings,
      keyPressed,
      secure: this.secure,
      allowed: this.#allowed,
      isSymmetric: ({ address }) => settings.latches === 'always' || !isPublic.allows(address),
      sockets: await openPair(host, ports),
    });
  }
}
