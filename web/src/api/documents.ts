/** JSON:API documents as the pages read them, and the types that they show. */

export interface Ref {
  type: string;
  id: string;
}

export interface Resource<A = Record<string, unknown>, M = Record<string, unknown>> extends Ref {
  attributes: A;
  relationships?: Record<string, { data?: Ref | Ref[] | null }>;
  meta?: M;
}

export interface One<R> {
  data: R;
  included?: Resource[];
}

export interface Many<R> {
  data: R[];
  included?: Resource[];
  meta?: { total_records?: number; available_count?: number };
}

/** The record that a to-one relationship links to, if the document includes it. */
export function related<A>(
  document: { included?: Resource[] } | undefined,
  record: Resource<unknown> | undefined,
  name: string,
): Resource<A> | undefined {
  const link = record?.relationships?.[name]?.data;
  if (!link || Array.isArray(link)) return undefined;
  return document?.included?.find(({ type, id }) => type === link.type && id === link.id) as Resource<A> | undefined;
}

/** The records that a to-many relationship links to. */
export function relatedMany<A>(
  document: { included?: Resource[] } | undefined,
  record: Resource<unknown> | undefined,
  name: string,
): Resource<A>[] {
  const links = record?.relationships?.[name]?.data;
  if (!Array.isArray(links)) return [];
  return links.flatMap(
    (link) => (document?.included?.find(({ type, id }) => type === link.type && id === link.id) as Resource<A>) ?? [],
  );
}

export type Did = Resource<{
  number: string;
  description: string | null;
  blocked: boolean;
  awaiting_registration: boolean;
  terminated: boolean;
  channels_included_count: number;
  capacity_limit: number | null;
  created_at: string;
  expires_at: string | null;
}>;
export type Country = Resource<{ name: string; prefix: string | null; iso: string }>;
export type Named = Resource<{ name: string }>;
export type DidGroup = Resource<
  {
    prefix: string;
    area_name: string;
    features: string[];
    is_metered: boolean;
    service_restrictions: string | null;
  },
  { available_dids_enabled: boolean; needs_registration: boolean; is_available: boolean; total_count: number }
>;
export type Sku = Resource<{ setup_price: string; monthly_price: string; channels_included_count: number }>;
export type AvailableDid = Resource<{ number: string }>;
export type Reservation = Resource<{ description: string | null; created_at: string; expires_at: string }>;
interface OrderItem {
  type: string;
  attributes: { qty: number; nrc: string; mrc: string; billed_from: string | null; billed_to: string | null };
}
export type Order = Resource<{
  reference: string;
  description: string;
  amount: string;
  status: 'pending' | 'completed' | 'canceled';
  created_at: string;
  items: OrderItem[];
}>;
interface SipConfiguration {
  type: string;
  attributes: Record<string, unknown> & { host?: string | null; port?: number | null; dst?: string };
}
export type Trunk = Resource<{
  name: string;
  description: string | null;
  priority: number;
  weight: number;
  capacity_limit: number | null;
  cli_format: string | null;
  cli_prefix: string | null;
  ringing_timeout: number | null;
  created_at: string;
  configuration: SipConfiguration;
}>;
export type Call = Resource<{
  call_id: string;
  src_number: string;
  did_number: string;
  time_start: string;
  duration: number;
  success: boolean;
  disconnect_code: number;
  response: string;
  disconnect_initiator: string;
  voice_in_trunk_name: string | null;
  trunk_group_name: string | null;
  capacity_group_name: string | null;
  attempts: number;
  amount: string;
}>;
export type HistoryEvent = Resource<{ did_number: string; action: string; method: string; created_at: string }>;
export type ApiKey = Resource<{
  name: string;
  prefix: string;
  key: string | null;
  allowed_ips: string[];
  scopes: string[] | null;
  rate_limit: number | null;
  expires_at: string | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  made_by_operator: boolean;
}>;
export type OtpApplication = Resource<{
  made_by_operator: boolean;
  name: string;
  description: string | null;
  key: string;
  secret: string | null;
  minimum_mode: string;
  callback_url: string | null;
  code_timeout: number;
  code_length: number;
  daily_limit: number | null;
  created_at: string;
}>;
export type SessionRecord = Resource<{
  ip: string;
  user_agent: string;
  current: boolean;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}>;
export interface Message {
  id: string;
  verification_id: string;
  destination: string;
  delivery_method: 'sms' | 'callout';
  language: string;
  text: string;
  code: string;
  /** Of a call: the spoken code as WAV. */
  audio_url?: string;
  created_at: string;
}
