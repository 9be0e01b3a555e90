/** What the settings of the parties demand of their descriptions. Everything here throws `MediaRefused`. */
import type { DtlsIdentity } from '../dtls/certificate.ts';
import { type LegSettings, MediaRefused } from '../media-engine.ts';
import { checkedOffer } from '../srtp/encryption-offered.ts';
import type { SecureSettings } from '../srtp/secure-medium.ts';
import { isRtpProtocol, type PartyDescription } from './read-description.ts';

/** ZRTP is between the two parties: for the relay it is media in the clear. */
export function secureSettings({ encryption, isBrowser }: LegSettings, identity: DtlsIdentity): SecureSettings {
  return { encryption: encryption === 'zrtp' ? 'disabled' : encryption, isBrowser, identity };
}

/** Changes nothing: who offers is held to it when the offer is answered. */
export function checkOffer(secure: SecureSettings, { sections }: PartyDescription): void {
  for (const { isActive, media, lines } of sections)
    if (isActive && isRtpProtocol(media.protocol)) checkedOffer(media.protocol, lines, secure);
}

/** Media such as T.38 cannot be encrypted here: to pass them on would be to send in the clear what must not be. */
export function checkOtherMedia({ encryption, isBrowser }: LegSettings, { sections }: PartyDescription): void {
  const isDemanded = isBrowser || encryption === 'srtp_sdes' || encryption === 'srtp_dtls';
  const found = sections.find(({ isActive, media }) => isActive && !isRtpProtocol(media.protocol));
  if (isDemanded && found !== undefined)
    throw new MediaRefused(`Media encryption is demanded, and ${found.media.protocol} has none.`);
}

/** ZRTP needs packets that nobody has changed. `isOtherSecure` is what the other party's descriptions say. */
export function checkZrtp(settings: LegSettings, isOtherSecure: boolean): void {
  if (settings.encryption === 'zrtp' && isOtherSecure)
    throw new MediaRefused('ZRTP goes from end to end, and the other side has a media encryption of its own.');
}
