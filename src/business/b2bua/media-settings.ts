/** What an operator sets about the media of calls: who carries them, on which ports, and what parties are told. */
import type { RtpengineHost } from '../../engines/media/rtpengine/control.ts';
import type { AdvertisedAddress } from './sip-settings.ts';

/** UDP ports, both included: pairs of an even port for RTP and the next one for RTCP. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface MediaConfig {
  /** `direct`: media flow past this process, between the two ends. */
  readonly engine: 'embedded' | 'rtpengine' | 'direct';
  /** Of rtpengine's control ports. */
  readonly hosts: readonly RtpengineHost[];
  /** Of the embedded engine; null is whatever ports the system has free. */
  readonly ports: PortRange | null;
  /** The setting names them. Those by default are not asked for at the start. */
  readonly arePortsChosen: boolean;
  /** Addresses that parties are told, if they are not those of SIP. */
  readonly advertised: readonly AdvertisedAddress[];
  /** Calls at a time that rtpengine may transcode for this process. */
  readonly mostTranscoded: number;
}
