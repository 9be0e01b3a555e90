/** The audio of one call: an RTP port of its own, what is sent to the peer, and what comes from it. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { MediaDirection } from '../sdp/description.ts';
import type { Content } from '../sip/dialog/agent.ts';
import { familyOf } from '../sip/transport/wire.ts';
import { muLawToALaw } from '../speech/g711.ts';
import { machineMonotonicClock as clock, sendPaced } from '../speech/pace.ts';
import { type Codec, frameMs, frameSamples, newRtpStream, parseRtp, type RtpPacket, RtpSender } from '../speech/rtp.ts';
import { formatTelephoneEvent } from '../speech/telephone-event.ts';
import {
  type AudioDescription,
  answerAudio,
  commonCodec,
  listens,
  offerAudio,
  readAudio,
  SdpError,
  sdpType,
} from './sdp.ts';

interface AudioLegOptions {
  /** Local address to bind. */
  host: string;
  /** The address that the peer is told; the local one if absent. */
  advertised?: string;
  /** Whether audio may be sent to this address; every one if absent. */
  mayReach?: (address: string) => boolean;
  /** What this end takes; PCMU and PCMA if absent. */
  codecs?: readonly Codec[];
  received?: (packet: RtpPacket) => void;
}

/** A key lasts 100 ms, and its end is sent three times in case packets are lost (RFC 4733 2.5.1.4). */
const eventFrames = 5;
const eventEnds = 3;
const pauseAfterKeyMs = 60;

export class AudioLeg {
  readonly #socket: Socket;
  readonly #options: AudioLegOptions;
  #version = 0;
  #codec: Codec | null = null;
  #peer: AudioDescription | null = null;
  #sender = new RtpSender(newRtpStream('PCMU'));
  /** Frames since the stream began, those in which nothing was sent included. */
  #position = 0;
  #startedAt: number | null = null;
  #isPressing = false;

  static async open(options: AudioLegOptions): Promise<AudioLeg> {
    const socket = createSocket(familyOf(options.host) === 6 ? 'udp6' : 'udp4');
    socket.bind(0, options.host);
    await once(socket, 'listening');
    return new AudioLeg(socket, options);
  }

  private constructor(socket: Socket, options: AudioLegOptions) {
    this.#socket = socket;
    this.#options = options;
    // The peer may close its port before the call ends; that is no error of this process.
    socket.on('error', () => undefined);
    socket.on('message', (bytes) => {
      const packet = parseRtp(bytes);
      if (packet !== null) options.received?.(packet);
    });
  }

  /** The codec of what is sent; null until both ends have agreed. */
  get codec(): Codec | null {
    return this.#codec;
  }

  get eventType(): number | null {
    return this.#peer?.eventType ?? null;
  }

  /** Whether the peer listens: false before the answer and while the peer holds the call. */
  get isHeard(): boolean {
    return this.#peer !== null && listens(this.#peer);
  }

  offer(direction: MediaDirection = 'sendrecv'): Content {
    return { type: sdpType, body: offerAudio(this.#local, direction, this.#description()) };
  }

  /** Throws `SdpError` if no call can be made of the offer. */
  answer(offer: Buffer): Content {
    const peer = this.#checked(readAudio(offer));
    const body = answerAudio(peer, this.#local, this.#description());
    this.#use(peer);
    return { type: sdpType, body };
  }

  /** The answer to an offer made here. Throws `SdpError` if it has no codec in common. */
  accept(answer: Buffer): void {
    this.#use(this.#checked(readAudio(answer)));
  }

  /**
   * Sends frames of µ-law until they end or the signal is aborted. While the peer does not listen the schedule goes on
   * and nothing is sent. Returns how many frames were due.
   */
  async play(frames: Iterable<Uint8Array>, signal: AbortSignal): Promise<number> {
    this.#continueStream();
    let isFirst = true;
    const send = (frame: Uint8Array) => {
      const isSent = this.isHeard && !this.#isPressing;
      if (isSent) this.#send(this.#sender.packet(this.#position, this.#encoded(frame), { marker: isFirst }));
      isFirst = !isSent;
      this.#position += 1;
    };
    return sendPaced(frames, send, clock, signal);
  }

  /**
   * Sends the keys one after another, with a pause between them; audio is muted meanwhile. Nothing is sent to a peer
   * that takes no events.
   */
  async press(keys: string, signal: AbortSignal): Promise<void> {
    const { eventType } = this;
    if (eventType === null) return;
    this.#isPressing = true;
    for (const key of keys) {
      this.#continueStream();
      await sendPaced(this.#eventPackets(key, eventType), (packet) => this.#send(packet), clock, signal);
      await clock.wait(pauseAfterKeyMs, signal);
    }
    this.#isPressing = false;
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  get #local() {
    return { address: this.#options.advertised ?? this.#options.host, port: this.#socket.address().port };
  }

  /** Every description has a version of its own. */
  #description() {
    const { codecs } = this.#options;
    return { version: ++this.#version, ...(codecs === undefined ? {} : { codecs }) };
  }

  #checked(peer: AudioDescription): AudioDescription {
    if (commonCodec(peer, this.#options.codecs) === undefined) throw new SdpError('it has no codec in common');
    if (this.#options.mayReach?.(peer.address) === false) throw new SdpError('it names an address that is not allowed');
    return peer;
  }

  #use(peer: AudioDescription): void {
    const codec = commonCodec(peer, this.#options.codecs) ?? 'PCMU';
    if (codec !== this.#codec) {
      this.#sender = new RtpSender(newRtpStream(codec));
      this.#position = 0;
      this.#startedAt = null;
    }
    this.#codec = codec;
    this.#peer = peer;
  }

  /** Timestamps follow the time that has passed, so that the peer plays pauses as long as they were. */
  #continueStream(): void {
    const now = clock.now();
    this.#startedAt ??= now;
    const passed = Math.floor((now - this.#startedAt) / frameMs);
    this.#position = Math.max(this.#position, passed);
  }

  #encoded(frame: Uint8Array): Uint8Array {
    return this.codec === 'PCMA' ? muLawToALaw(frame) : frame;
  }

  *#eventPackets(key: string, payloadType: number): Generator<Uint8Array> {
    const begin = this.#position;
    for (let frame = 1; frame < eventFrames + eventEnds; frame++) {
      const duration = Math.min(frame, eventFrames) * frameSamples;
      const payload = formatTelephoneEvent({ key, isEnd: frame >= eventFrames, duration });
      yield this.#sender.packet(begin, payload, { marker: frame === 1, payloadType });
    }
  }

  #send(packet: Uint8Array): void {
    if (this.#peer !== null) this.#socket.send(packet, this.#peer.port, this.#peer.address, () => undefined);
  }
}
