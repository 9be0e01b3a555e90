/** Which protection a party describes, and whether its settings take that. */
import { isFingerprintLine, readFingerprints } from '../dtls/fingerprint.ts';
import { describesIce } from '../ice/ice-lite.ts';
import { isCryptoLine, readOfferedKey } from './crypto-line.ts';
import { EncryptionRefused } from './encryption-refused.ts';

export type Encryption = 'disabled' | 'srtp_sdes' | 'srtp_dtls';
export type EncryptionMode = Encryption | 'as offered';

interface Demand {
  readonly encryption: EncryptionMode;
  readonly isBrowser: boolean;
}

/** Throws `EncryptionRefused`: half secure media would be silence, or heard by others. */
export function encryptionOffered(protocol: string, lines: readonly string[], demand: Demand): Encryption {
  const mode = demand.isBrowser ? 'srtp_dtls' : demand.encryption;
  const found = encryptionIn(protocol, lines, mode);
  if (found === null) throw new EncryptionRefused('Encrypted media were described without keys');
  if (mode !== 'as offered' && mode !== found) {
    throw new EncryptionRefused(`Media encryption ${mode} is demanded, and ${found} was described`);
  }
  return found;
}

/** The same of an offer whose keys are read too: what passes here can be answered. */
export function checkedOffer(protocol: string, lines: readonly string[], demand: Demand): Encryption {
  const encryption = encryptionOffered(protocol, lines, demand);
  if (demand.isBrowser && !describesIce(lines)) {
    throw new EncryptionRefused('A browser has to describe its media with ICE');
  }
  if (encryption === 'srtp_sdes') readOfferedKey(lines);
  if (encryption === 'srtp_dtls') readFingerprints(lines);
  return encryption;
}

/** Some describe both kinds of keys. */
function encryptionIn(protocol: string, lines: readonly string[], mode: EncryptionMode): Encryption | null {
  if (!/\bSAVPF?$/.test(protocol)) return 'disabled';
  const hasFingerprint = lines.some(isFingerprintLine);
  const prefersDtls = mode === 'srtp_dtls' || protocol.startsWith('UDP/TLS/');
  if (hasFingerprint && prefersDtls) return 'srtp_dtls';
  if (lines.some(isCryptoLine)) return 'srtp_sdes';
  return hasFingerprint ? 'srtp_dtls' : null;
}

/** The protocol that an offer of ours names; feedback (AVPF) stays as the other side has it. */
export function protocolOf(encryption: Encryption, hasFeedback: boolean): string {
  const names = { disabled: 'RTP/AVP', srtp_sdes: 'RTP/SAVP', srtp_dtls: 'UDP/TLS/RTP/SAVP' };
  return `${names[encryption]}${hasFeedback ? 'F' : ''}`;
}
