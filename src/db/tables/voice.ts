import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string, string>;

export interface VoiceInTrunkGroupsTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  capacity_limit: number | null;
  external_reference_id: string | null;
  created_at: Date;
}

export interface VoiceInTrunksTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  description: string | null;
  external_reference_id: string | null;
  priority: Generated<number>;
  weight: Generated<number>;
  capacity_limit: number | null;
  cli_format: Generated<string>;
  cli_prefix: string | null;
  ringing_timeout: number | null;
  configuration_type: ConfigurationType;
  configuration: Json<Record<string, unknown>>;
  voice_in_trunk_group_id: string | null;
  pop_id: string | null;
  created_at: Date;
}

/** The last two are of API version 2022-05-10; calls are never sent to them. */
export type ConfigurationType =
  | 'sip_configurations'
  | 'pstn_configurations'
  | 'iax2_configurations'
  | 'h323_configurations';

export interface VoiceOutTrunksTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  status: Generated<'active' | 'blocked'>;
  external_reference_id: string | null;
  capacity_limit: number | null;
  allow_any_did_as_cli: Generated<boolean>;
  on_cli_mismatch_action: string;
  default_dst_action: Generated<string>;
  dst_prefixes: Generated<string[]>;
  media_encryption_mode: Generated<string>;
  allowed_rtp_ips: string[] | null;
  force_symmetric_rtp: Generated<boolean>;
  rtp_ping: Generated<boolean>;
  rtp_timeout: Generated<number>;
  threshold_amount: Generated<string>;
  threshold_reached: Generated<boolean>;
  callback_url: string | null;
  sealed_signing_key: string | null;
  emergency_enable_all: Generated<boolean>;
  authentication_type: AuthenticationType;
  authentication: Json<Record<string, unknown>>;
  default_did_id: string | null;
  created_at: Date;
}

export type AuthenticationType = 'credentials_and_ip' | 'ip_only' | 'twilio';

export interface VoiceOutTrunkDidsTable {
  voice_out_trunk_id: string;
  did_id: string;
}

export interface VoiceRatesTable {
  id: Generated<string>;
  account_id: string | null;
  kind: 'pstn_forwarding' | 'toll_free' | 'termination' | 'cnam_lookup';
  prefix: string;
  per_minute: string;
  connection_fee: Generated<string>;
  initial_interval: Generated<number>;
  next_interval: Generated<number>;
  country: string | null;
  network: string | null;
}

export interface VoiceWorkersTable {
  id: string;
  beat: Generated<number>;
  seen_at: Date;
}

export interface OpenCallsTable {
  id: string;
  direction: 'in' | 'out';
  account_id: string;
  worker_id: string;
  state: 'routed' | 'ringing' | 'answered';
  did_id: string | null;
  channel: string | null;
  shared_capacity_group_id: string | null;
  trunk_id: string;
  trunk_group_id: string | null;
  time_start: Date;
  call: Json<unknown>;
}

export type StreamName = 'voice_in_events' | 'voice_out_events' | 'voice_in_cdr' | 'voice_out_cdr';

export interface CallEventStreamsTable {
  account_id: string;
  stream: StreamName;
  url: string;
  gzip: Generated<boolean>;
  username: string | null;
  sealed_password: string | null;
  sealed_headers: string | null;
}

export interface CallEventsTable {
  id: Generated<number>;
  account_id: string;
  stream: StreamName;
  call_id: string;
  body: string;
  created_at: Date;
  due_at: Date | null;
  attempts: Generated<number>;
  delivered_at: Date | null;
  last_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
}

export interface CallEventLanesTable {
  account_id: string;
  stream: StreamName;
  failures: Generated<number>;
  retry_at: Date | null;
}

export interface CdrsInTable {
  id: string;
  call_id: string;
  account_id: string;
  attempt: number;
  is_last: boolean;
  time_start: Date;
  time_connect: Date | null;
  time_end: Date;
  success: boolean;
  src_number: string;
  src_name: string | null;
  did_number: string;
  duration: number;
  disconnect_code: number;
  response: string;
  disconnect_initiator: string;
  voice_in_trunk_id: string | null;
  voice_in_trunk_name: string | null;
  destination: string | null;
  trunk_group_name: string | null;
  capacity_group_name: string | null;
  toll_free_amount: string;
  pstn_amount: string;
  metered_amount: string;
  cnam_amount: string;
  leg_call_id: string | null;
  carrier_id: string | null;
  carrier_name: string | null;
}

export interface CdrsOutTable {
  id: string;
  call_id: string;
  account_id: string;
  voice_out_trunk_id: string;
  voice_out_trunk_name: string;
  time_start: Date;
  time_connect: Date | null;
  time_end: Date;
  success: boolean;
  src_number: string;
  original_src_number: string;
  dst_number: string;
  duration: number;
  billing_duration: number;
  disconnect_code: number;
  disconnect_reason: string;
  country: string | null;
  network: string | null;
  call_type: string;
  rate: string | null;
  price: string;
  p_charge_info: string | null;
  leg_call_id: string | null;
  carrier_id: string | null;
  carrier_name: string | null;
}

export interface ExportsTable {
  id: Generated<string>;
  account_id: string;
  export_type: 'cdr_in' | 'cdr_out';
  filters: Json<Record<string, string>>;
  status: Generated<'pending' | 'processing' | 'completed'>;
  file_name: Generated<string>;
  callback_url: string | null;
  callback_method: 'get' | 'post' | null;
  sealed_signing_key: string | null;
  base_url: string;
  external_reference_id: string | null;
  created_at: Date;
  completed_at: Date | null;
  size: number | null;
  checksum: string | null;
}

export interface ExportPiecesTable {
  export_id: string;
  piece: number;
  bytes: Buffer;
}
