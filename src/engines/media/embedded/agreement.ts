/** What two descriptions of a medium mean for its packets. */
import type { Media } from '../../sdp/description.ts';
import type { Endpoint } from '../endpoint.ts';
import type { LegSettings } from '../media-engine.ts';
import { isRtpProtocol, type Section } from './read-description.ts';

/** What both parties have agreed on, as far as it concerns packets that come from this one. */
export interface Agreement {
  /** Where the party is; null while it says nowhere, as old phones do on hold. */
  rtp: Endpoint | null;
  rtcp: Endpoint | null;
  /** Whether the party takes what is sent to it. */
  listens: boolean;
  /** Whether RTP and RTCP share a port. */
  muxes: boolean;
  /** `bytes`: passed as they are, such as T.38; `untouched`: RTP that must not be changed, such as ZRTP. */
  passes: 'rtp' | 'untouched' | 'bytes';
  /** Of the medium: what this party has described, and what the other has, which this one was told. */
  own: Media;
  other: Media;
}

interface Party {
  settings: LegSettings;
  section: Section;
}

/** How packets between two parties pass: changed where needed, or as they are. */
export function passageOf(one: Party, other: Party): Agreement['passes'] {
  if (!isRtpProtocol(one.section.media.protocol)) return 'bytes';
  if (one.section.isSecure || other.section.isSecure) return 'rtp';
  const isDemanded = one.settings.encryption === 'zrtp' || other.settings.encryption === 'zrtp';
  return isDemanded || (one.section.hasZrtp && other.section.hasZrtp) ? 'untouched' : 'rtp';
}

/** For packets that come from the party that has described `own`. */
export function agreementOf(own: Section, other: Section, muxes: boolean, passes: Agreement['passes']): Agreement {
  return {
    rtp: own.isNowhere ? null : own.rtp,
    rtcp: own.isNowhere ? null : muxes ? own.rtp : own.rtcp,
    listens: !own.isNowhere && (own.direction === 'sendrecv' || own.direction === 'recvonly'),
    muxes,
    passes,
    own: own.media,
    other: other.media,
  };
}

/** Neither on hold nor with a direction that is switched off. */
export function isOpen({ direction, isNowhere }: Section): boolean {
  return direction === 'sendrecv' && !isNowhere;
}
