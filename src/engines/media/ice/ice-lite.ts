/**
 * ICE as a server does it that everybody can reach (RFC 8445, lite): it names its addresses, answers the checks of its
 * peer, which also are its peer's consent (RFC 7675), and sends media where the peer wants them.
 */
import { randomBytes } from 'node:crypto';
import type { Endpoint } from '../endpoint.ts';
import { xorMappedAddress } from './mapped-address.ts';
import {
  attributes,
  messageTypes,
  readStunRequest,
  type StunParts,
  type StunRequest,
  writeStun,
} from './stun-message.ts';

interface Credentials {
  readonly fragment: string;
  readonly password: string;
}

interface AnsweredCheck {
  readonly response: Buffer;
  /** The peer wants to go on by this path; false also for a check that got an error. */
  readonly isNominated: boolean;
  /** Whether the response says that the path can be used. */
  readonly isValid: boolean;
}

const understood: ReadonlySet<number> = new Set(Object.values(attributes));
const firstOptional = 0x8000;
/** Class and number of an error, and its name. */
const errors = {
  unknownAttribute: Buffer.from('\0\0\x04\x14Unknown Attribute', 'latin1'),
  roleConflict: Buffer.from('\0\0\x04\x57Role Conflict', 'latin1'),
};

export class IceLite {
  #own = newCredentials();
  /** Before the peer began anew: its old path stays until the new one is there. */
  #former: Credentials | null = null;
  #peerFragment: string | null = null;

  /** For the session part of a description. */
  readonly sessionLines: readonly string[] = ['a=ice-lite'];

  /** For the medium. All that we have is named at once. */
  mediaLines(endpoints: readonly Endpoint[]): string[] {
    return [
      `a=ice-ufrag:${this.#own.fragment}`,
      `a=ice-pwd:${this.#own.password}`,
      ...endpoints.map(candidateLine),
      'a=end-of-candidates',
    ];
  }

  /** The peer's lines. To an offer with a new name we answer with a new one. */
  described(lines: readonly string[], isOffer: boolean): void {
    const fragment = fragmentIn(lines);
    if (fragment === null) return;
    if (isOffer && this.#peerFragment !== null && this.#peerFragment !== fragment) {
      this.#former = this.#own;
      this.#own = newCredentials();
    }
    this.#peerFragment = fragment;
  }

  /** Null for what is not a check of our peer: nobody else gets an answer. */
  received(packet: Buffer, from: Endpoint): AnsweredCheck | null {
    const request = readStunRequest(packet);
    const credentials = request === null ? null : this.#credentialsOf(request);
    if (request === null || credentials === null) return null;
    const answer = (type: number, parts: StunParts['attributes']) =>
      writeStun({ type, transaction: request.transaction, attributes: parts }, credentials.password);
    const refuse = (error: Buffer, ...more: StunParts['attributes']) => ({
      response: answer(messageTypes.error, [[attributes.errorCode, error], ...more]),
      isNominated: false,
      isValid: false,
    });
    const unknown = [...request.attributes.keys()].filter((type) => type < firstOptional && !understood.has(type));
    if (unknown.length > 0) return refuse(errors.unknownAttribute, [attributes.unknownAttributes, listOf(unknown)]);
    // A lite end never controls, so its peer has to.
    if (request.attributes.has(attributes.iceControlled)) return refuse(errors.roleConflict);
    const mapped = xorMappedAddress(from, request.transaction);
    return {
      response: answer(messageTypes.success, [[attributes.xorMappedAddress, mapped]]),
      isNominated: request.attributes.has(attributes.useCandidate),
      isValid: true,
    };
  }

  /** Those that the request names and was made with. */
  #credentialsOf(request: StunRequest): Credentials | null {
    const name = request.attributes.get(attributes.userName)?.toString('latin1') ?? '';
    const [, ours, theirs] = /^([^:]+):([^:]+)$/.exec(name) ?? [];
    const credentials = [this.#own, this.#former].find((one) => one !== null && one.fragment === ours) ?? null;
    const isOfPeer = credentials === this.#former || this.#peerFragment === null || this.#peerFragment === theirs;
    return credentials !== null && isOfPeer && request.isFrom(credentials.password) ? credentials : null;
  }
}

export const describesIce = (lines: readonly string[]): boolean => fragmentIn(lines) !== null;

function fragmentIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    const [, fragment] = /^a=ice-ufrag:([A-Za-z0-9+/]{4,256})\s*$/.exec(line) ?? [];
    if (fragment !== undefined) return fragment;
  }
  return null;
}

function listOf(types: readonly number[]): Buffer {
  const list = Buffer.alloc(2 * types.length);
  for (const [at, type] of types.entries()) list.writeUInt16BE(type, 2 * at);
  return list;
}

/** More than the four and twenty-two characters that are the least, so that nobody guesses them. */
const newCredentials = (): Credentials => ({
  fragment: randomBytes(6).toString('base64'),
  password: randomBytes(24).toString('base64'),
});

/** A host candidate of RTP, with which RTCP is multiplexed; the first address is preferred. */
function candidateLine({ address, port }: Endpoint, at: number): string {
  const priority = 126 * 2 ** 24 + (65_535 - at) * 2 ** 8 + 255;
  return `a=candidate:${at + 1} 1 udp ${priority} ${address} ${port} typ host`;
}
