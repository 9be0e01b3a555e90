/**
 * One medium of one party: its sockets, who may send to them, and where that goes. Every packet of a call passes
 * through here, so nothing is allocated for one that is relayed.
 */
import type { Socket } from 'node:dgram';
import type { BlockList } from 'node:net';
import type { Media } from '../../sdp/description.ts';
import type { Endpoint } from '../endpoint.ts';
import type { LegSettings } from '../media-engine.ts';
import { packetKind } from '../packet-kind.ts';
import { rtpHeaderBytes } from '../srtp/rtp-header.ts';
import type { SecureSettings } from '../srtp/secure-medium.ts';
import type { Agreement } from './agreement.ts';
import { HeardParty } from './heard-party.ts';
import { KeyHearing } from './key-hearing.ts';
import { KeySender } from './key-sender.ts';
import { Latch } from './latch.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import { PacketLimit } from './packet-limit.ts';
import { type EventPayload, eventPayload, mapPayloads, unknownPayload } from './payload-map.ts';
import { isRtcp, isRtcpType, RoundTrip } from './rtcp.ts';
import type { SocketPair } from './sockets.ts';
import { StreamProtection } from './stream-protection.ts';

interface StreamOptions {
  sockets: SocketPair;
  settings: LegSettings;
  allowed: BlockList | null;
  isSymmetric: (described: Endpoint) => boolean;
  secure: SecureSettings;
  keyPressed: (key: string, durationMs: number) => void;
}

const headerBytes = 12;
const mostBytes = 1_500;
/** An audio stream has fifty packets a second, a hundred at most; a video stream as many as its bit rate needs. */
const mostPackets = { audio: 500, other: 3_000, rtcp: 100 };
const empty = Buffer.alloc(0);

export class MediaStream {
  readonly heard = new HeardParty();
  readonly protection: StreamProtection;
  readonly port: number;
  readonly #sockets: SocketPair;
  readonly #settings: LegSettings;
  readonly #latch: Latch;
  readonly #rtcpLatch: Latch;
  readonly #audioLimit = new PacketLimit(mostPackets.audio);
  readonly #otherLimit = new PacketLimit(mostPackets.other);
  readonly #rtcpLimit = new PacketLimit(mostPackets.rtcp);
  readonly #roundTrip = new RoundTrip();
  readonly #outgoing = new OutgoingStream();
  readonly #keySender: KeySender;
  readonly #keyPressed: StreamOptions['keyPressed'];
  #keyHearing: KeyHearing | null = null;
  #agreement: Agreement | null = null;
  #payloads = noPayloads;
  /** With which payload type it takes key presses. */
  #keys: EventPayload | null = null;
  #peer: MediaStream | null = null;
  #ssrc = 0;
  #packetsOfTick = 0;

  constructor({ sockets, settings, allowed, isSymmetric, secure, keyPressed }: StreamOptions) {
    this.port = sockets.port;
    this.#sockets = sockets;
    this.#settings = settings;
    this.#keyPressed = keyPressed;
    this.#latch = new Latch({ allowed, isSymmetric, isProvenOnly: settings.isBrowser });
    this.#rtcpLatch = new Latch({ allowed, isSymmetric, isProvenOnly: false });
    this.protection = new StreamProtection(secure, {
      send: (packet, { address, port }) => sockets.rtp.send(packet, port, address),
      target: () => this.#latch.target,
      reached: (at) => this.#latch.prove(at, performance.now()),
      dropped: (reason) => this.heard.drop(reason),
    });
    this.#keySender = new KeySender(this.#outgoing, (packet) => this.#sendRtp(packet));
    sockets.rtp.on('message', (bytes, { address, port }) => this.#received(bytes, address, port));
    sockets.rtcp.on('message', (bytes, { address, port }) => this.#receivedRtcp(bytes, address, port));
  }

  /** From now on what comes from this party goes to `peer`, as agreed. */
  join(peer: MediaStream, agreement: Agreement): void {
    const now = performance.now();
    this.#peer = peer;
    this.#agreement = agreement;
    if (agreement.rtp !== null) this.#latch.describe(agreement.rtp, now);
    if (agreement.rtcp !== null) this.#rtcpLatch.describe(agreement.rtcp, now);
    this.#payloads = mapPayloads(agreement.own, agreement.other);
    this.#keys = eventPayload(agreement.own);
    this.#hearKeys(eventPayload(agreement.other)?.clock ?? this.#keys?.clock ?? null);
    this.protection.begin();
    this.#ping();
  }

  /** A key that is being pressed goes on through a new agreement. */
  #hearKeys(clock: number | null): void {
    if (clock === (this.#keyHearing?.clock ?? null)) return;
    this.#keyHearing?.reset(performance.now());
    this.#keyHearing = clock === null ? null : new KeyHearing(clock, this.#keyPressed);
  }

  /** What comes is dropped until the next `join`. */
  part(): void {
    this.#peer = null;
  }

  /** `audio`, `video`, `image`…, as it was agreed last. */
  get kind(): string | null {
    return this.#agreement?.own.kind ?? null;
  }

  get source(): string | null {
    return this.#latch.source;
  }

  get encryption(): string {
    if (this.#agreement?.passes === 'untouched') return 'zrtp';
    return this.protection.name;
  }

  get takesKeyPresses(): boolean {
    return this.#agreement?.passes === 'rtp' && this.#keys !== null;
  }

  press(key: string, durationMs: number): void {
    const tone = this.#keys;
    if (tone !== null && this.takesKeyPresses) this.#keySender.press({ key, durationMs, tone });
  }

  /** Time of the engine has passed. Returns how many packets came in it. */
  tick(ms: number): number {
    const packets = this.#packetsOfTick;
    this.#packetsOfTick = 0;
    this.heard.advance(ms);
    this.#keyHearing?.settle(performance.now());
    this.#ping();
    return packets;
  }

  close(): void {
    this.#keySender.close();
    this.protection.close();
    this.#peer = null;
    this.#sockets.close();
  }

  #received(bytes: Buffer, address: string, port: number): void {
    const agreement = this.#agreement;
    // Empty packets open a path, as ours do.
    if (bytes.length === 0) return;
    if ((bytes[0] ?? 0) < 64 && agreement?.passes !== 'bytes' && this.#isHandshake(bytes, address, port)) return;
    if (agreement === null) return;
    if (bytes.length > mostBytes) return void this.heard.drop('malformed');
    if (agreement.passes === 'bytes') return void this.#receivedBytes(bytes, address, port);
    if (agreement.muxes && isRtcpType(bytes[1] ?? 0)) return void this.#receivedRtcp(bytes, address, port);
    if (bytes.length < headerBytes) return void this.heard.drop('malformed');
    if ((bytes[0] ?? 0) >> 6 === 2) return void this.#receivedRtp(bytes, address, port, agreement);
    if (agreement.passes === 'untouched' && packetKind(bytes) === 'zrtp')
      return void this.#receivedBytes(bytes, address, port);
    this.heard.drop('malformed');
  }

  /** Handshakes and checks of the path come before the description that agrees to them. */
  #isHandshake(bytes: Buffer, address: string, port: number): boolean {
    if (bytes.length > mostBytes || !this.#latch.isAllowed(address)) return false;
    return this.protection.takes(bytes, { address, port }, this.#latch.isSource(address, port), performance.now());
  }

  #receivedRtp(received: Buffer, address: string, port: number, agreement: Agreement): void {
    const now = performance.now();
    const bytes = this.protection.unprotect(received, 'rtp', this.#latch.isSource(address, port), now);
    if (bytes === null) return;
    const ssrc = bytes.readUInt32BE(8);
    // Video has streams for repetitions beside its own.
    const isAudio = agreement.own.kind === 'audio';
    const refusal = this.#latch.refusal(address, port, isAudio ? ssrc : null, now);
    if (refusal !== null) return void this.heard.drop(refusal);
    if (!(isAudio ? this.#audioLimit : this.#otherLimit).take(now)) return void this.heard.drop('rate');
    const payload = (bytes[1] ?? 0) & 0x7f;
    const sequence = bytes.readUInt16BE(2);
    const timestamp = bytes.readUInt32BE(4);
    const clock = this.#payloads.clock[payload] ?? 0;
    if (ssrc !== this.#ssrc) this.#changeSsrc(ssrc, now);
    this.#packetsOfTick += 1;
    this.heard.stream.receive(bytes.length, ssrc, sequence, timestamp, clock, now);
    if (agreement.passes === 'untouched') return void this.#peer?.relayBytes(bytes, this);
    const target = this.#payloads.target[payload] ?? unknownPayload;
    if (target === unknownPayload) return void this.heard.drop('payload');
    if (this.#payloads.isEvent[payload] === 1) {
      const { keyPresses } = this.#settings;
      if (keyPresses === 'dropped') return;
      if (keyPresses === 'told') return void this.#takeKeyPress(bytes, ssrc, sequence, timestamp, now);
    } else this.heard.codec = this.#payloads.codecs.get(payload) ?? null;
    bytes[1] = ((bytes[1] ?? 0) & 0x80) | target;
    this.#peer?.relayRtp(bytes, this, ssrc, sequence, timestamp, clock, now);
  }

  #changeSsrc(ssrc: number, now: number): void {
    this.#ssrc = ssrc;
    this.#keyHearing?.reset(now);
  }

  #takeKeyPress(bytes: Buffer, ssrc: number, sequence: number, timestamp: number, now: number): void {
    const start = rtpHeaderBytes(bytes);
    if (start !== null) this.#keyHearing?.receive(timestamp, bytes.subarray(start), now);
    this.#peer?.skipRtp(this, ssrc, sequence);
  }

  #receivedBytes(bytes: Buffer, address: string, port: number): void {
    const now = performance.now();
    const refusal = this.#latch.refusal(address, port, null, now);
    if (refusal !== null) return void this.heard.drop(refusal);
    if (!this.#otherLimit.take(now)) return void this.heard.drop('rate');
    this.#packetsOfTick += 1;
    this.heard.stream.packets += 1;
    this.heard.stream.bytes += bytes.length;
    this.#peer?.relayBytes(bytes, this);
  }

  #receivedRtcp(received: Buffer, address: string, port: number): void {
    if (this.#agreement === null || received.length === 0) return;
    if (received.length > mostBytes || !isRtcp(received)) return void this.heard.drop('malformed');
    const now = performance.now();
    const latch = this.#latchOfRtcp(this.#agreement);
    const bytes = this.protection.unprotect(received, 'rtcp', latch.isSource(address, port), now);
    if (bytes === null) return;
    const refusal = latch.refusal(address, port, null, now);
    if (refusal !== null) return void this.heard.drop(refusal);
    if (!this.#rtcpLimit.take(now)) return void this.heard.drop('rate');
    if (!this.#settings.ignoresRtcpSource)
      this.#latch.suggest({ address, port: this.#agreement.muxes ? port : port - 1 });
    this.#roundTrip.received(bytes, now);
    this.heard.roundTripMs = this.#roundTrip.ms;
    this.#peer?.relayRtcp(bytes, this, now);
  }

  #latchOfRtcp({ muxes }: Agreement): Latch {
    return muxes && (this.#settings.isBrowser || !this.#settings.ignoresRtcpSource) ? this.#latch : this.#rtcpLatch;
  }

  /** Called by the other party's stream, of which only the one that is joined counts. */
  relayRtp(
    bytes: Buffer,
    from: MediaStream,
    ssrc: number,
    sequence: number,
    timestamp: number,
    clock: number,
    now: number,
  ): void {
    if (this.#peer !== from || this.#agreement?.listens !== true) return;
    if (this.#outgoing.isPressing) return void this.#outgoing.skip(ssrc, sequence);
    if (this.#outgoing.number(bytes, ssrc, sequence, timestamp, clock, now)) this.#sendRtp(bytes);
  }

  skipRtp(from: MediaStream, ssrc: number, sequence: number): void {
    if (this.#peer === from) this.#outgoing.skip(ssrc, sequence);
  }

  relayBytes(bytes: Buffer, from: MediaStream): void {
    if (this.#peer === from && this.#agreement?.listens === true) send(this.#sockets.rtp, bytes, this.#latch);
  }

  relayRtcp(bytes: Buffer, from: MediaStream, now: number): void {
    if (this.#peer !== from || this.#agreement === null) return;
    this.#roundTrip.sent(bytes, now);
    const packet = this.protection.protect(bytes, 'rtcp');
    if (packet === null) return;
    const socket = this.#agreement.muxes ? this.#sockets.rtp : this.#sockets.rtcp;
    send(socket, packet, this.#latchOfRtcp(this.#agreement));
  }

  #sendRtp(bytes: Uint8Array): void {
    const packet = this.protection.protect(bytes, 'rtp');
    if (packet !== null) send(this.#sockets.rtp, packet, this.#latch);
  }

  /** Opens the path through the party's own network until it sends. */
  #ping(): void {
    if (!this.#settings.pings || this.#agreement === null || this.#latch.hasSource) return;
    send(this.#sockets.rtp, empty, this.#latch);
    if (!this.#agreement.muxes) send(this.#sockets.rtcp, empty, this.#rtcpLatch);
  }
}

const noMedia: Media = { kind: '', port: '0', protocol: '', formats: [], lines: [] };
const noPayloads = mapPayloads(noMedia, noMedia);

function send(socket: Socket, bytes: Uint8Array, { targetPort, targetAddress }: Latch): void {
  if (targetPort !== 0 && targetAddress !== '') socket.send(bytes, targetPort, targetAddress);
}
