/**
 * What both sides of a handshake have in common: order and repetition of messages, what has been said so far, alerts,
 * and the end, with keys for SRTP or with a reason. By hand: the handshake of `werift` verifies nobody
 * (docs/decisions/own-dtls-srtp.md).
 */
import type { KeyObject } from 'node:crypto';
import type { Timer, Timers } from '../../sip/timers.ts';
import { type KeyPair, type MasterKey, type ProfileName, profiles } from '../srtp/profiles.ts';
import { alerts, DtlsFailure } from './alert.ts';
import { contentTypes, messageTypes } from './constants.ts';
import { HandshakeInbox, type HandshakeMessage, readFragments, wholeMessage } from './handshake-message.ts';
import { readRecords } from './record.ts';
import { type Outgoing, RecordLayer } from './record-layer.ts';
import { exportForSrtp, type Randoms, recordKeys, verifyData } from './secrets.ts';

export interface HandshakeParts {
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
  /** Whether the description promised this certificate. */
  isExpected(certificate: Buffer): boolean;
  readonly timers: Timers;
  send(datagram: Buffer): void;
  connected(keys: KeyPair): void;
  /** A peer that has only not answered may do so later. */
  failed(reason: string, mayAnswerLater: boolean): void;
  /** The peer has said that it goes. */
  closed(): void;
}

type Side = 'client' | 'server';

/** Voices wait for it, so it begins sooner than RFC 6347's second. */
const firstRepeatMs = 400;
const longestRepeatMs = 3_200;
const patienceMs = 20_000;
const warning = 1;
const fatal = 2;

export abstract class Handshake {
  protected readonly parts: HandshakeParts;
  readonly #side: Side;
  readonly #records = new RecordLayer();
  readonly #inbox: HandshakeInbox;
  #said: Buffer[] = [];
  #sequence: number;
  #flight: readonly Outgoing[] = [];
  #timer: Timer | null = null;
  readonly #startedAt: number;
  #state: 'running' | 'connected' | 'over' = 'running';
  /** What the peer complains of, as far as that can be trusted: it may come from anybody. */
  #complaint = '';

  /** `sequence` is that of the first message of both sides. */
  constructor(side: Side, parts: HandshakeParts, { received, sent }: { received: number; sent: number }) {
    this.parts = parts;
    this.#side = side;
    this.#inbox = new HandshakeInbox(received);
    this.#sequence = sent;
    this.#startedAt = parts.timers.now();
  }

  /** A message of the peer; `before` is all that was said before it. */
  protected abstract handle(message: HandshakeMessage, before: Buffer): void;

  received(datagram: Buffer): void {
    for (const record of readRecords(datagram)) {
      if (this.#state === 'over') return;
      const opened = this.#records.open(record);
      if (opened === null) continue;
      if (opened.type === contentTypes.alert) this.#receiveAlert(opened.fragment, record.epoch === 1);
      else if (opened.type === contentTypes.handshake) this.#receiveHandshake(opened.fragment, record.epoch === 1);
    }
  }

  #receiveHandshake(fragment: Buffer, isEncrypted: boolean): void {
    if (this.#state === 'connected') {
      // Its last message again: it has not seen our last ones.
      if (isEncrypted) this.#transmit();
      return;
    }
    for (const one of readFragments(fragment)) {
      if ((one.type === messageTypes.finished) === isEncrypted) this.#inbox.add(one);
    }
    this.#attempt(() => {
      for (let message = this.#inbox.take(); message !== null; message = this.#inbox.take()) {
        const before = this.said;
        this.remember(message);
        this.handle(message, before);
      }
    });
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof DtlsFailure)) throw error;
      this.#sendAlert(fatal, error.alert, 0);
      this.#fail(error.message);
    }
  }

  /** All messages so far. */
  protected get said(): Buffer {
    return Buffer.concat(this.#said);
  }

  protected remember(message: HandshakeMessage): void {
    this.#said.push(wholeMessage(message));
  }

  protected forgetAll(): void {
    this.#said = [];
  }

  /** A message of ours, which counts as said from here on. */
  protected message(type: number, body: Buffer): Outgoing {
    const message = { type, sequence: this.#sequence, body };
    this.#sequence += 1;
    this.remember(message);
    return {
      type: contentTypes.handshake,
      epoch: type === messageTypes.finished ? 1 : 0,
      bytes: wholeMessage(message),
    };
  }

  protected changeCipherSpec(): Outgoing {
    return { type: contentTypes.changeCipherSpec, epoch: 0, bytes: Buffer.of(1) };
  }

  protected useSecret(master: Buffer, randoms: Randoms): void {
    const { client, server } = recordKeys(master, randoms);
    if (this.#side === 'client') this.#records.useKeys(client, server);
    else this.#records.useKeys(server, client);
  }

  protected finished(master: Buffer): Outgoing {
    return this.message(messageTypes.finished, verifyData(master, this.#side, this.said));
  }

  protected checkFinished(master: Buffer, body: Buffer, before: Buffer): void {
    const sender = this.#side === 'client' ? 'server' : 'client';
    if (!body.equals(verifyData(master, sender, before))) {
      throw new DtlsFailure('decryptError', 'The handshake was changed on its way');
    }
  }

  /** Repeated until the peer goes on, unless it is the last one. */
  protected sendFlight(flight: readonly Outgoing[], isLast = false): void {
    this.#flight = flight;
    this.#timer?.close();
    this.#transmit();
    if (!isLast) this.#repeatAfter(firstRepeatMs);
  }

  #repeatAfter(ms: number): void {
    this.#timer = this.parts.timers.after(
      ms,
      (waited) => {
        if (this.parts.timers.now() - this.#startedAt >= patienceMs) {
          this.#fail(`The peer does not go on with the handshake${this.#complaint}`, true);
          return;
        }
        this.#transmit();
        this.#repeatAfter(Math.min(2 * waited, longestRepeatMs));
      },
      ms,
    );
  }

  #transmit(): void {
    for (const datagram of this.#records.pack(this.#flight)) this.parts.send(datagram);
  }

  protected connect(master: Buffer, randoms: Randoms, profile: ProfileName): void {
    this.#timer?.close();
    this.#state = 'connected';
    const { keyBytes, saltBytes } = profiles[profile];
    const material = exportForSrtp(master, randoms, 2 * (keyBytes + saltBytes));
    const keyOf = (place: 0 | 1): MasterKey => ({
      profile,
      key: material.subarray(place * keyBytes, (place + 1) * keyBytes),
      salt: material.subarray(2 * keyBytes + place * saltBytes, 2 * keyBytes + (place + 1) * saltBytes),
    });
    const [client, server] = [keyOf(0), keyOf(1)];
    this.parts.connected(
      this.#side === 'client' ? { sending: client, receiving: server } : { sending: server, receiving: client },
    );
  }

  #receiveAlert(fragment: Buffer, isEncrypted: boolean): void {
    const [level, description] = fragment;
    if (!isEncrypted) {
      // In the clear, anybody can say it: our patience decides.
      if (level === fatal) this.#complaint = `, it complains with alert ${description}`;
      return;
    }
    if (description === alerts.closeNotify && this.#state === 'connected') {
      this.#state = 'over';
      this.parts.closed();
    } else if (level === fatal) this.#fail(`The peer ends the handshake with alert ${description}`);
  }

  #sendAlert(level: number, description: number, epoch: 0 | 1): void {
    const alert = { type: contentTypes.alert, epoch, bytes: Buffer.of(level, description) };
    for (const datagram of this.#records.pack([alert])) this.parts.send(datagram);
  }

  #fail(reason: string, mayAnswerLater = false): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#timer?.close();
    this.parts.failed(reason, mayAnswerLater);
  }

  /** Tells the peer, if it would believe it. */
  close(): void {
    if (this.#state === 'connected') this.#sendAlert(warning, alerts.closeNotify, 1);
    this.#state = 'over';
    this.#timer?.close();
  }
}
