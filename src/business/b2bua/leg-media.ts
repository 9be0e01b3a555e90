/** How the media of a leg are treated, by the settings of its trunk. */
import type { LegSettings } from '../../engines/media/media-engine.ts';
import type { OutboundMedia } from '../voice/outbound/find-trunks.ts';
import type { MediaEncryption } from './sdp.ts';
import type { SipConfiguration } from './trunk-attempt.ts';

/** With 2 they come in SIP INFO alone, with 3 either way: what comes in RTP is told first. */
const receivedInRtp: Readonly<Record<number, LegSettings['keyPresses']>> = { 2: 'dropped', 3: 'told' };

/** Default of the contract. */
const usualTimeoutSeconds = 30;

/** A carrier is the operator's: nothing is demanded of it, and nobody's call ends because it says nothing. */
export const carrierMedia: LegSettings = {
  encryption: 'as offered',
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

/** A carrier that is called: it is not known to take SRTP. */
export const calledCarrierMedia: LegSettings = { ...carrierMedia, encryption: 'disabled' };

/** `codecs`: those of the trunk that the engine transcodes to where the caller has none of them. */
export function trunkMedia(configuration: SipConfiguration, codecs: readonly string[]): LegSettings {
  return {
    ...carrierMedia,
    encryption: configuration.media_encryption_mode ?? 'disabled',
    allowedAddresses: configuration.allowed_rtp_ips?.length ? configuration.allowed_rtp_ips : null,
    latches: configuration.force_symmetric_rtp ? 'always' : 'when private',
    ignoresRtcpSource: configuration.symmetric_rtp_ignore_rtcp ?? false,
    pings: configuration.rtp_ping ?? false,
    silenceSeconds: configuration.rtp_timeout ?? usualTimeoutSeconds,
    keyPresses: receivedInRtp[configuration.rx_dtmf_format_id ?? 1] ?? 'passed',
    codecs: codecs.length > 0 ? codecs : null,
  };
}

/** A browser encrypts in one way only, whatever other phones of the trunk do; with ZRTP both ends would have to. */
export const browserEncryption = (mode: MediaEncryption): MediaEncryption => (mode === 'zrtp' ? mode : 'srtp_dtls');

/** Why a browser and another party cannot talk: nobody between them speaks both ways of encryption. */
export const browserNeedsEngine = 'Browsers need a media engine, and TRUNKLINE_MEDIA is direct';

/** Of a customer who calls out. */
export function customerMedia(media: OutboundMedia): LegSettings {
  return {
    ...carrierMedia,
    encryption: media.encryptionMode,
    allowedAddresses: media.allowedRtpIps?.length ? media.allowedRtpIps : null,
    latches: media.forceSymmetricRtp ? 'always' : 'when private',
    pings: media.rtpPing,
    silenceSeconds: media.rtpTimeout,
  };
}
