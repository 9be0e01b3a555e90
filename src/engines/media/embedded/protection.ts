/** Encryption of one medium of one party, as the relay uses it for each packet. */

export type PacketKind = 'rtp' | 'rtcp';

export interface Protection {
  /** As shown in the figures of a call, such as `srtp_sdes AES_CM_128_HMAC_SHA1_80`. */
  readonly name: string;
  /** Null for a packet that does not count: the reason has been told to `dropped`. May be done in place. */
  unprotect(packet: Buffer, kind: PacketKind, dropped: (reason: string) => void): Buffer | null;
  /** Null as long as there are no keys. */
  protect(packet: Uint8Array, kind: PacketKind): Uint8Array | null;
  close(): void;
}
