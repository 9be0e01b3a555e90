/** How the media of a leg are protected, and what that says about the transport in its `m=` lines. */
import { type LegSettings, MediaRefused } from '../media-engine.ts';
import { isRtpProtocol, type Section } from './read-description.ts';

/** Throws `MediaRefused` if nothing can be described to the party that its settings take. */
export function checkTaken({ encryption, isBrowser }: LegSettings): void {
  if (encryption === 'srtp_sdes' || encryption === 'srtp_dtls' || isBrowser)
    throw new MediaRefused(`Media encryption ${isBrowser ? 'of browsers' : encryption} is not available.`);
}

/** Throws `MediaRefused` if the party has described media that its settings do not take. */
export function checkEncryption(settings: LegSettings, { isActive, media }: Section): void {
  checkTaken(settings);
  if (isActive && /\bSAVP/.test(media.protocol))
    throw new MediaRefused('Encrypted media were offered and are not taken.');
}

/** What an offer to the party says; feedback (AVPF) stays as the other side has it. */
export function protocolFor({ protocol }: { protocol: string }): string {
  if (!isRtpProtocol(protocol)) return protocol;
  return protocol.endsWith('F') ? 'RTP/AVPF' : 'RTP/AVP';
}
