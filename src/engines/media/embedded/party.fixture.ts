/** A party of a relayed call in a test: real sockets on loopback, its description, and what it hears. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { machineTimers } from '../../sip/timers.ts';
import { HeardAudio } from '../../speech/heard-audio.ts';
import { newRtpStream, parseRtp, type RtpPacket, RtpSender } from '../../speech/rtp.ts';
import { toneFrames, toneOf } from '../../speech/tone.ts';
import { newDtlsIdentity } from '../dtls/certificate.ts';
import type { LegSettings } from '../media-engine.ts';
import { packetKind } from '../packet-kind.ts';
import { type Encryption, protocolOf } from '../srtp/encryption-offered.ts';
import { SecureMedium } from '../srtp/secure-medium.ts';

const identity = newDtlsIdentity(new Date());

/** A party that sends and takes anything in the clear. */
export const plainLeg: LegSettings = {
  encryption: 'disabled',
  allowedAddresses: null,
  latches: 'when private',
  ignoresRtcpSource: false,
  pings: false,
  silenceSeconds: null,
  keyPresses: 'passed',
  isBrowser: false,
  family: null,
  codecs: null,
};

async function bind(host: string, port = 0): Promise<Socket> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.bind(port, host);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket;
}

interface PartyOptions {
  host?: string;
  /** Lines of its audio, without the `m=` line. */
  formats?: string;
  lines?: readonly string[];
  /** How it protects its media; in the clear if absent. */
  encryption?: Encryption;
}

export class Party {
  readonly host: string;
  readonly packets: RtpPacket[] = [];
  readonly datagrams: Buffer[] = [];
  readonly control: Buffer[] = [];
  readonly sources = new Set<number>();
  readonly keys: string[] = [];
  /** Why packets did not count. */
  readonly dropped: string[] = [];
  readonly medium: SecureMedium;
  #wasOffered = false;
  #isOffering = false;
  readonly heard: HeardAudio;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #options: PartyOptions;
  readonly #tone = toneFrames(440);
  #frame = 0;
  sender = new RtpSender(newRtpStream('PCMU'));
  /** Where the relay listens for it. */
  relay = { address: '', port: 0, rtcp: 0 };
  eventType: number | null = 101;

  static async open(options: PartyOptions = {}): Promise<Party> {
    const host = options.host ?? '127.0.0.1';
    return new Party(host, await bind(host), await bind(host), options);
  }

  private constructor(host: string, rtp: Socket, rtcp: Socket, options: PartyOptions) {
    this.host = host;
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#options = options;
    const settings = { encryption: options.encryption ?? 'disabled', isBrowser: false, identity };
    const user = {
      send: (bytes: Buffer) => rtp.send(bytes, this.relay.port, this.relay.address),
      reached: () => undefined,
      ready: () => undefined,
      failed: () => undefined,
    };
    this.medium = new SecureMedium(settings, user, machineTimers);
    onTestFinished(() => this.medium.close());
    this.heard = new HeardAudio(
      () => this.eventType,
      (key) => this.keys.push(key),
    );
    rtp.on('message', (bytes, from) => this.#received(bytes, from));
    rtcp.on('message', (bytes) => {
      // Its keys are those of RTP, also for a peer that would agree on others for RTCP.
      if (packetKind(bytes) === 'dtls') return;
      const opened = this.medium.unprotect(bytes, 'rtcp', (why) => this.dropped.push(why));
      if (opened !== null) this.control.push(opened);
    });
  }

  get port(): number {
    return this.#rtp.address().port;
  }

  get rtcpPort(): number {
    return this.#rtcp.address().port;
  }

  /** Its description: audio of its own port, with more lines as wanted. An answer, if it has been told an offer. */
  describe(lines: readonly string[] = [], { address = this.host, port = this.port } = {}): Buffer {
    const family = this.host.includes(':') ? 'IP6' : 'IP4';
    const { formats = '0 8 101', lines: usual = ['a=rtpmap:101 telephone-event/8000'] } = this.#options;
    const secure = this.#wasOffered ? this.medium.answer([]) : this.medium.offer([]);
    const protocol = protocolOf(secure.encryption, false);
    const all = [
      ...['v=0', `o=- 7 1 IN ${family} ${address}`, 's=-', `c=IN ${family} ${address}`, 't=0 0'],
      ...[`m=audio ${port} ${protocol} ${formats}`, `a=rtcp:${this.rtcpPort}`, ...usual, ...secure.medium, ...lines],
    ];
    this.#isOffering = !this.#wasOffered;
    this.#wasOffered = false;
    return Buffer.from(`${all.join('\r\n')}\r\n`);
  }

  /** Reads where to send to, and how. */
  told(sdp: Buffer): this {
    const text = sdp.toString();
    const [, port, protocol = ''] = /^m=\S+ (\d+) (\S+)/m.exec(text) ?? [];
    const rtcp = Number(/^a=rtcp:(\d+)/m.exec(text)?.[1] ?? Number(port) + 1);
    this.relay = { address: /^c=IN IP\d (\S+)/m.exec(text)?.[1] ?? '', port: Number(port), rtcp };
    const lines = text.split('\r\n');
    if (this.#isOffering) this.medium.answered(protocol, lines);
    else this.medium.offeredBy(protocol, lines);
    this.#wasOffered = !this.#isOffering;
    this.#isOffering = false;
    return this;
  }

  /** Protected as agreed; nothing while there are no keys. */
  send(bytes: Uint8Array, socket: Socket = this.#rtp): void {
    const packet = this.medium.protect(bytes, 'rtp');
    if (packet !== null) this.sendRaw(packet, socket);
  }

  sendRaw(bytes: Uint8Array, socket: Socket = this.#rtp): void {
    socket.send(bytes, this.relay.port, this.relay.address);
  }

  sendControl(bytes: Uint8Array): void {
    const packet = this.medium.protect(bytes, 'rtcp');
    if (packet !== null) this.#rtcp.send(packet, this.relay.rtcp, this.relay.address);
  }

  /** The next frames of its tone; `payloadType` as if it were another codec. */
  speak(frames: number, payloadType?: number): void {
    for (let count = 0; count < frames; count++) this.send(this.nextPacket(payloadType));
  }

  nextPacket(payloadType?: number): Buffer {
    const options = { marker: false, ...(payloadType === undefined ? {} : { payloadType }) };
    return this.sender.packet(this.#frame++, this.#tone.next().value, options);
  }

  /** Sends until the other has heard the tone: packets of a busy machine may be lost. */
  async isHeardBy(other: Party): Promise<void> {
    const before = other.heard.packets;
    await expect
      .poll(() => {
        this.speak(5);
        return other.heard.packets - before > 10 && toneOf(other.heard.samples.subarray(-800));
      })
      .toBe(440);
  }

  #received(bytes: Buffer, { address, port }: RemoteInfo): void {
    this.sources.add(port);
    if (packetKind(bytes) === 'dtls') return void this.medium.received(bytes, { address, port });
    this.datagrams.push(Buffer.from(bytes));
    const opened = this.medium.unprotect(bytes, 'rtp', (why) => this.dropped.push(why));
    const packet = opened && parseRtp(opened);
    if (packet === null) return;
    this.packets.push(packet);
    this.heard.receive(packet);
  }
}
