/** The keys of one party, agreed in descriptions (RFC 4568): each side names the key that it sends with. */
import { type CryptoLine, formatCryptoLine, isCryptoLine, readCryptoLine, readOfferedKey } from './crypto-line.ts';
import { EncryptionRefused } from './encryption-refused.ts';
import { isSameKey, type KeyPair, newMasterKey, type ProfileName } from './profiles.ts';

/** The first is what all have. More lines would make a description too long for one datagram. */
const offeredProfiles: readonly ProfileName[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AES_256_CM_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
];

export class Sdes {
  /** The same ones whenever we offer: a party that we describe to again must not notice, unless it changes its own. */
  readonly #offered = offeredProfiles.map((profile, at) => ({ tag: at + 1, master: newMasterKey(profile) }));
  /** Null until both sides have described themselves. */
  #agreed: { ours: CryptoLine; theirs: CryptoLine } | null = null;

  #lastOffer: readonly CryptoLine[] = [];
  #offeredBy: CryptoLine | null = null;

  /** Lines of an offer: first what has been agreed, then what could be. */
  offer(): string[] {
    const agreed = this.#agreed?.ours;
    const differs = ({ tag, master }: CryptoLine) => tag !== agreed?.tag && master.profile !== agreed?.master.profile;
    this.#lastOffer = [...(agreed === undefined ? [] : [agreed]), ...this.#offered.filter(differs)];
    return this.#lastOffer.map(formatCryptoLine);
  }

  /** What the party answered to our last offer. Throws `EncryptionRefused`. */
  answered(lines: readonly string[]): KeyPair {
    const [line, ...more] = lines.filter(isCryptoLine);
    const theirs = line === undefined ? null : readCryptoLine(line);
    if (theirs === null || more.length > 0) throw new EncryptionRefused('The answer names no key that can be used');
    const ours = this.#lastOffer.find(({ tag }) => tag === theirs.tag);
    if (ours === undefined) throw new EncryptionRefused('The answer takes a key that was not offered');
    if (ours.master.profile !== theirs.master.profile) {
      throw new EncryptionRefused('The answer names another cipher than what was offered under its tag');
    }
    return this.#agree(ours, theirs);
  }

  /** What the party offers; counts once it is answered. The first line that can be used is taken. */
  offeredBy(lines: readonly string[]): void {
    this.#offeredBy = readOfferedKey(lines);
  }

  /** Our answer to what was offered last. */
  answer(): KeyPair {
    const theirs = this.#offeredBy;
    if (theirs === null) throw new Error('nothing has been offered');
    const agreed = this.#agreed;
    const isUnchanged = agreed !== null && isSameKey(agreed.theirs.master, theirs.master);
    // A party with a new key may be another one, which counts packets from their beginning.
    const master = isUnchanged ? agreed.ours.master : newMasterKey(theirs.master.profile);
    return this.#agree({ tag: theirs.tag, master }, theirs);
  }

  answerLines(): string[] {
    return this.#agreed === null ? [] : [formatCryptoLine(this.#agreed.ours)];
  }

  #agree(ours: CryptoLine, theirs: CryptoLine): KeyPair {
    this.#agreed = { ours, theirs };
    return { sending: ours.master, receiving: theirs.master };
  }
}
