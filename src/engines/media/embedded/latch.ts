/**
 * Who may send to a port, and where that party is reached. The first source counts, from an allowed address, after the
 * party was described; later ones only if they are nearer to the description, or if the same stream goes on there while
 * the former path is silent. So no stranger's packets take a call over.
 */
import { type BlockList, isIPv6 } from 'node:net';
import type { Endpoint } from '../endpoint.ts';

/** Why a packet does not count; null if it does. */
type Refusal = 'address' | 'ssrc' | null;

interface LatchRules {
  allowed: BlockList | null;
  /** Whether packets are sent back to where they come from. */
  isSymmetric: (described: Endpoint) => boolean;
  /** Only sources that have been proven count: of a browser, whose description does not say where it is. */
  isProvenOnly: boolean;
}

/** A stream that has not been heard for so long may go on elsewhere. */
const silentPathMs = 200;
/** A source that has sent nothing of a stream for so long may begin another one: a few frames. */
const silentStreamMs = 60;
/** Until then another source may follow a new description, in which the former one goes on. */
const undecidedMs = 3_000;

export class Latch {
  readonly #rules: LatchRules;
  #described: Endpoint | null = null;
  #isSymmetric = false;
  /** Where the party may be reached, as something else that came from it says. */
  #suggested: Endpoint | null = null;
  /** The source that counts; an empty address for none. */
  #address = '';
  #port = 0;
  #ssrc = 0;
  #heardAt = 0;
  /** After a new description, until another source may take over although this one goes on. */
  #undecidedUntil = Number.NEGATIVE_INFINITY;
  #mayChangeSsrc = true;
  #isProven = false;

  constructor(rules: LatchRules) {
    this.#rules = rules;
  }

  /** What the party says of itself. The same once more changes nothing. */
  describe(endpoint: Endpoint, now: number): void {
    this.#mayChangeSsrc = true;
    const former = this.#described;
    if (former !== null && former.address === endpoint.address && former.port === endpoint.port) return;
    this.#described = endpoint;
    this.#isSymmetric = this.#rules.isSymmetric(endpoint);
    this.#suggested = null;
    if (!this.#rules.isProvenOnly) this.#isProven = false;
    if (this.hasSource) this.#undecidedUntil = now + undecidedMs;
  }

  /** The party is there for certain: its handshake or its check of the path has shown it. */
  prove({ address, port }: Endpoint, now: number): void {
    this.#isProven = true;
    if (this.isSource(address, port)) return;
    this.#address = address;
    this.#port = port;
    this.#heardAt = now;
    this.#mayChangeSsrc = true;
    this.#undecidedUntil = Number.NEGATIVE_INFINITY;
  }

  get hasSource(): boolean {
    return this.#address !== '';
  }

  /** `address:port` of the source; null if there is none. */
  get source(): string | null {
    if (!this.hasSource) return null;
    return isIPv6(this.#address) ? `[${this.#address}]:${this.#port}` : `${this.#address}:${this.#port}`;
  }

  /** Where the party is sent to; an empty address where it is not known. */
  get targetAddress(): string {
    if (!this.#followsSource) return this.#described?.address ?? '';
    return this.hasSource ? this.#address : ((this.#suggested ?? this.#usual)?.address ?? '');
  }

  get targetPort(): number {
    if (!this.#followsSource) return this.#described?.port ?? 0;
    return this.hasSource ? this.#port : ((this.#suggested ?? this.#usual)?.port ?? 0);
  }

  /** Null as long as it is not known. */
  get target(): Endpoint | null {
    const { targetAddress: address, targetPort: port } = this;
    return address === '' || port === 0 ? null : { address, port };
  }

  get #followsSource(): boolean {
    return this.#isSymmetric || this.#isProven || this.#rules.isProvenOnly;
  }

  get #usual(): Endpoint | null {
    return this.#rules.isProvenOnly ? null : this.#described;
  }

  /** For as long as the party has sent nothing itself. */
  suggest(endpoint: Endpoint): void {
    if (!this.hasSource) this.#suggested = endpoint;
  }

  isSource(address: string, port: number): boolean {
    return port === this.#port && address === this.#address;
  }

  /** Asked for every packet. `ssrc` is null for packets that have none by which a stream is recognised. */
  refusal(address: string, port: number, ssrc: number | null, now: number): Refusal {
    if (!this.isSource(address, port)) return this.#refusalOfOther(address, port, ssrc, now);
    if (ssrc !== null && ssrc !== this.#ssrc) {
      if (!this.#mayChangeSsrc && now - this.#heardAt < silentStreamMs) return 'ssrc';
      this.#ssrc = ssrc;
    }
    if (ssrc !== null) this.#mayChangeSsrc = false;
    this.#heardAt = now;
    return null;
  }

  #refusalOfOther(address: string, port: number, ssrc: number | null, now: number): Refusal {
    if (!this.isAllowed(address) || !this.#takesOver(address, port, ssrc, now)) return 'address';
    this.#address = address;
    this.#port = port;
    this.#ssrc = ssrc ?? 0;
    this.#heardAt = now;
    this.#mayChangeSsrc = ssrc === null;
    this.#undecidedUntil = Number.NEGATIVE_INFINITY;
    return null;
  }

  isAllowed(address: string): boolean {
    const { allowed } = this.#rules;
    return allowed === null || allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  #takesOver(address: string, port: number, ssrc: number | null, now: number): boolean {
    if (this.#described === null || this.#rules.isProvenOnly) return false;
    if (!this.hasSource || now < this.#undecidedUntil) return true;
    if (this.#nearness(address, port) > this.#nearness(this.#address, this.#port)) return true;
    if (now - this.#heardAt < silentPathMs) return false;
    return ssrc === null ? address === this.#address : ssrc === this.#ssrc;
  }

  /** 2 for the described address and port, 1 for the address alone. */
  #nearness(address: string, port: number): 0 | 1 | 2 {
    if (address !== this.#described?.address) return 0;
    return port === this.#described.port ? 2 : 1;
  }
}
