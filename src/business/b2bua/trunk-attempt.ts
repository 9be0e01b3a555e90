/** An attempt at a SIP trunk, with everything that decides how it is dialled. */
import type { SipRequest } from '../../engines/sip/message/message.ts';
import type { InboundAttempt, InboundCall } from '../voice/inbound/call.ts';
import type { TrunkSwitches } from '../voice/sip-switches.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { Caller } from './identity.ts';
import type { MediaEncryption } from './sdp.ts';

/** The members of `sip_configurations` that are used here. Trunks of older versions lack some. */
export interface SipConfiguration {
  host?: string | null;
  port?: number | null;
  username?: string | null;
  transport_protocol_id?: number;
  network_protocol_priority?: string;
  resolve_ruri?: boolean;
  use_did_in_ruri?: boolean;
  codec_ids?: number[];
  tx_dtmf_format_id?: number;
  rx_dtmf_format_id?: number;
  auth_enabled?: boolean;
  auth_user?: string | null;
  auth_password?: string | null;
  auth_from_user?: string | null;
  auth_from_domain?: string | null;
  enabled_sip_registration?: boolean;
  incoming_auth_username?: string | null;
  sst_enabled?: boolean;
  sst_max_timer?: number | null;
  sst_session_expires?: number | null;
  sip_timer_b?: number;
  dns_srv_failover_timer?: number | null;
  rtp_ping?: boolean | null;
  rtp_timeout?: number;
  force_symmetric_rtp?: boolean | null;
  symmetric_rtp_ignore_rtcp?: boolean | null;
  allowed_rtp_ips?: string[] | null;
  media_encryption_mode?: MediaEncryption;
  stir_shaken_mode?: string;
  diversion_relay_policy?: string;
  diversion_inject_mode?: string;
  max_transfers?: number;
  max_30x_redirects?: number;
}

export interface TrunkAttempt {
  endpoint: SipEndpoint;
  request: SipRequest;
  call: InboundCall;
  attempt: InboundAttempt;
  caller: Caller;
  configuration: SipConfiguration;
  switches: TrunkSwitches;
}
