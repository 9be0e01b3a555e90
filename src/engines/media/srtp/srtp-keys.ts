/** The keys in use of one medium, and what they do to a packet. */
import { isSameKey, type KeyPair, type ProfileName } from './profiles.ts';
import { SrtpReceiver } from './srtp-receiver.ts';
import { SrtpSender } from './srtp-sender.ts';

type MediaKind = 'rtp' | 'rtcp';

export class SrtpKeys {
  #pair: KeyPair | null = null;
  #sender: SrtpSender | null = null;
  #receiver: SrtpReceiver | null = null;

  get profile(): ProfileName | null {
    return this.#pair?.sending.profile ?? null;
  }

  /** A key that stays goes on counting: to begin again would use the same key stream twice. */
  use(pair: KeyPair): void {
    const former = this.#pair;
    if (former === null || !isSameKey(former.sending, pair.sending)) this.#sender = new SrtpSender(pair.sending);
    if (former === null || !isSameKey(former.receiving, pair.receiving)) {
      this.#receiver = new SrtpReceiver(pair.receiving);
    }
    this.#pair = pair;
  }

  open(packet: Buffer, kind: MediaKind, dropped: (reason: string) => void): Buffer | null {
    if (this.#receiver === null) {
      dropped('authentication');
      return null;
    }
    return kind === 'rtp' ? this.#receiver.openRtp(packet, dropped) : this.#receiver.openRtcp(packet, dropped);
  }

  protect(packet: Uint8Array, kind: MediaKind): Buffer | null {
    if (this.#sender === null) return null;
    const bytes = Buffer.isBuffer(packet) ? packet : Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
    return kind === 'rtp' ? this.#sender.protectRtp(bytes) : this.#sender.protectRtcp(bytes);
  }
}
