/** One party of a relayed call: its ports, what it was told, and whether it is heard. */
import { isIPv6 } from 'node:net';
import { addressPolicy, rangeList } from '../../outbound/address-policy.ts';
import { type HeardMedia, type LegSettings, MediaRefused, MediaUnavailable } from '../media-engine.ts';
import { HeardParty } from './heard-party.ts';
import { type Agreement, MediaStream } from './media-stream.ts';
import type { PartyDescription } from './read-description.ts';
import { openPair, type PortSource } from './sockets.ts';
import { type OwnSection, ToldSession } from './told-description.ts';

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
  silent: () => void;
  keyPressed: (key: string, durationMs: number) => void;
}

const isPublic = addressPolicy({ allowEverything: false, allowedRanges: [] });

export class RelayedLeg {
  readonly name: string;
  readonly settings: LegSettings;
  readonly #options: LegOptions;
  readonly #allowed;
  readonly #told = new ToldSession();
  /** By the index of the medium. */
  readonly #streams: (MediaStream | null)[] = [];
  /** The stream whose figures are the party's: its voice, if it has one. */
  #measured: MediaStream | null = null;
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
    this.#options = options;
    const { allowedAddresses } = options.settings;
    this.#allowed = allowedAddresses === null ? null : rangeList(allowedAddresses);
  }

  /** Opens ports for the media that have none. Rejects with `MediaUnavailable`, or `MediaRefused`. */
  async openStreams(kinds: readonly (string | null)[]): Promise<void> {
    if (this.#isDropped) throw new MediaRefused('The party has left the call.');
    this.#address ??= this.#chooseAddress();
    const opened: number[] = [];
    try {
      for (const [at, kind] of kinds.entries()) {
        const former = this.#streams[at] ?? null;
        if (kind === null || former?.kind === kind) continue;
        const stream = await this.#openStream(this.#address.host, kind);
        former?.close();
        this.#streams[at] = stream;
        opened.push(at);
        if (this.#measured === null || this.#measured === former || (kind === 'audio' && this.#measured.kind !== kind))
          this.#measured = stream;
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

  describe(other: PartyDescription, own: readonly OwnSection[]): Buffer {
    if (this.#address === null) throw new MediaRefused('The party has no media.');
    return this.#told.describe(other, this.#address.told, own);
  }

  /** Throws `MediaRefused` if its addresses cannot be sent to from those that it was told. */
  checkFamily({ sections }: PartyDescription): void {
    if (this.#address === null) return;
    const isSix = isIPv6(this.#address.host);
    if (sections.some(({ isActive, rtp }) => isActive && isIPv6(rtp.address) !== isSix))
      throw new MediaRefused(
        `Its media are on an IPv${isSix ? 4 : 6} address, and it was told one of IPv${isSix ? 6 : 4}.`,
      );
  }

  join(at: number, other: RelayedLeg, agreement: Agreement): void {
    const [own, peer] = [this.stream(at), other.stream(at)];
    if (own !== null && peer !== null) own.join(peer, agreement);
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

  async #openStream(host: string, kind: string): Promise<MediaStream> {
    const { settings, ports, keyPressed } = this.#options;
    return new MediaStream({
      kind,
      settings,
      keyPressed,
      allowed: this.#allowed,
      isSymmetric: ({ address }) => settings.latches === 'always' || !isPublic.allows(address),
      sockets: await openPair(host, ports),
    });
  }
}
