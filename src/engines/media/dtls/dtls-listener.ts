/**
 * Waits for the handshake of a peer whose certificate is known, on a port that anybody can write to. Nothing is done
 * for an address before it has sent back a cookie; of those that have, the first with the right certificate stays.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { TokenBucket } from '../../sip/token-bucket.ts';
import type { Endpoint } from '../endpoint.ts';
import type { KeyPair } from '../srtp/profiles.ts';
import { DtlsFailure } from './alert.ts';
import { number, vector } from './byte-writer.ts';
import { contentTypes, messageTypes, version12 } from './constants.ts';
import type { HandshakeParts } from './handshake.ts';
import { HandshakeInbox, type HandshakeMessage, readFragments, wholeMessage } from './handshake-message.ts';
import { type ClientHello, readClientHello } from './hello.ts';
import { type DtlsRecord, readRecords, writeRecord } from './record.ts';
import { ServerHandshake } from './server-handshake.ts';

interface DtlsListenerParts
  extends Pick<HandshakeParts, 'certificate' | 'privateKey' | 'isExpected' | 'timers' | 'closed'> {
  send(datagram: Buffer, to: Endpoint): void;
  connected(keys: KeyPair, from: Endpoint): void;
  /** A handshake that came to nothing; others may follow. */
  failed(reason: string): void;
}

interface Candidate {
  readonly endpoint: Endpoint;
  /** Of a hello in fragments. */
  parts: { sequence: number; inbox: HandshakeInbox } | null;
  handshake: ServerHandshake | null;
}

/** Of one port; the one that came first leaves when another comes. */
const mostCandidates = 4;
/** Each costs a signature and two multiplications on a curve. */
const handshakeRate = { perSecond: 20, burst: 20 };
const cookieBytes = 20;

export class DtlsListener {
  readonly #parts: DtlsListenerParts;
  readonly #secret = randomBytes(32);
  readonly #rate: TokenBucket;
  readonly #candidates = new Map<string, Candidate>();
  #connected: Candidate | null = null;

  constructor(parts: DtlsListenerParts) {
    this.#parts = parts;
    this.#rate = new TokenBucket(handshakeRate, parts.timers);
  }

  received(datagram: Buffer, from: Endpoint): void {
    const name = `${from.address} ${from.port}`;
    const known = this.#candidates.get(name);
    if (known?.handshake) return void known.handshake.received(datagram);
    // The peer is there: nobody else can be it.
    if (this.#connected !== null) return;
    for (const record of readRecords(datagram)) {
      if (record.type !== contentTypes.handshake || record.epoch !== 0) continue;
      this.#receiveHello(record, this.#candidate(name, from));
    }
  }

  #candidate(name: string, endpoint: Endpoint): Candidate {
    const known = this.#candidates.get(name);
    if (known !== undefined) return known;
    const [first] = this.#candidates;
    if (first !== undefined && this.#candidates.size >= mostCandidates) {
      first[1].handshake?.close();
      this.#candidates.delete(first[0]);
    }
    const candidate = { endpoint, parts: null, handshake: null };
    this.#candidates.set(name, candidate);
    return candidate;
  }

  #receiveHello(record: DtlsRecord, candidate: Candidate): void {
    for (const fragment of readFragments(record.fragment)) {
      if (fragment.type !== messageTypes.clientHello || candidate.handshake !== null) continue;
      const { sequence } = fragment;
      if (candidate.parts?.sequence !== sequence) candidate.parts = { sequence, inbox: new HandshakeInbox(sequence) };
      candidate.parts.inbox.add(fragment);
      const message = candidate.parts.inbox.take();
      if (message === null) continue;
      candidate.parts = null;
      this.#answer(message, record.sequence, candidate);
    }
  }

  #answer(message: HandshakeMessage, recordSequence: number, candidate: Candidate): void {
    const hello = readHello(message);
    if (hello === null) return;
    const cookie = this.#cookieFor(hello, candidate.endpoint);
    if (hello.cookie.length !== cookieBytes || !timingSafeEqual(hello.cookie, cookie)) {
      this.#parts.send(helloVerifyRequest(cookie, recordSequence), candidate.endpoint);
    } else if (this.#rate.take()) this.#begin(message, hello, candidate);
  }

  #begin(message: HandshakeMessage, hello: ClientHello, candidate: Candidate): void {
    try {
      candidate.handshake = new ServerHandshake(this.#partsOf(candidate), message, hello);
    } catch (error) {
      if (!(error instanceof DtlsFailure)) throw error;
      this.#forget(candidate);
      this.#parts.failed(error.message);
    }
  }

  #cookieFor({ random }: ClientHello, { address, port }: Endpoint): Buffer {
    const hmac = createHmac('sha256', this.#secret).update(`${address} ${port} `).update(random);
    return hmac.digest().subarray(0, cookieBytes);
  }

  #partsOf(candidate: Candidate): HandshakeParts {
    const { certificate, privateKey, isExpected, timers, closed } = this.#parts;
    return {
      ...{ certificate, privateKey, isExpected, timers, closed },
      send: (datagram) => this.#parts.send(datagram, candidate.endpoint),
      connected: (keys) => {
        this.#connected = candidate;
        this.#forgetOthers(candidate);
        this.#parts.connected(keys, candidate.endpoint);
      },
      failed: (reason) => {
        this.#forget(candidate);
        this.#parts.failed(reason);
      },
    };
  }

  #forgetOthers(kept: Candidate): void {
    for (const candidate of this.#candidates.values()) if (candidate !== kept) this.#forget(candidate);
  }

  #forget(candidate: Candidate): void {
    candidate.handshake?.close();
    this.#candidates.delete(`${candidate.endpoint.address} ${candidate.endpoint.port}`);
  }

  close(): void {
    for (const { handshake } of this.#candidates.values()) handshake?.close();
    this.#candidates.clear();
  }
}

/** Null for what is damaged: who sent it is not known yet. */
function readHello({ body }: HandshakeMessage): ClientHello | null {
  try {
    return readClientHello(body);
  } catch (error) {
    if (error instanceof DtlsFailure) return null;
    throw error;
  }
}

/** Smaller than what it answers, so that nobody can aim it at others; and nothing of it is remembered. */
function helloVerifyRequest(cookie: Buffer, recordSequence: number): Buffer {
  const body = Buffer.concat([number(version12, 2), vector(1, cookie)]);
  const fragment = wholeMessage({ type: messageTypes.helloVerifyRequest, sequence: 0, body });
  return writeRecord({ type: contentTypes.handshake, epoch: 0, sequence: recordSequence, fragment });
}
