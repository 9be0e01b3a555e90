/** Types of the package: a server for a suite, a world for each test. */
export interface StartOptions {
  /** What the first world begins with: `demo`, `empty`, `current`, or the name of a snapshot. */
  from?: string;
  /** The program and its first arguments; found by itself if `trunkline` is installed. */
  command?: readonly string[];
  /** Further settings of the server. */
  variables?: Readonly<Record<string, string>>;
  startTimeoutMs?: number;
}

export interface Message {
  id: string;
  verification_id: string;
  destination: string;
  delivery_method: 'sms' | 'callout';
  language: string;
  text: string;
  code: string;
  created_at: string;
}

export interface Call {
  id: string;
  status: string;
  disconnect_code: number | null;
}

export interface Delivery {
  id: string;
  kind: string;
  url: string | null;
  status: string;
  attempts: number;
  payload: unknown;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
}

export interface SeenRequest {
  id: string;
  at: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  request: unknown;
  response: unknown;
}

export interface NewFault {
  match?: { method?: string; path?: string; api_key?: string };
  do: {
    status?: number;
    error?: string;
    rate_limit?: true;
    delay_ms?: number;
    drop?: true | 'response';
    truncate?: true;
    fault?: string;
    seconds?: number;
  };
  times?: number | null;
  probability?: number;
  seed?: number;
}

export interface Fault extends NewFault {
  id: string;
  times_left: number | null;
  hits: number;
}

export interface Since {
  since?: string;
  wait?: number;
}

/** A time, or a distance from now such as `-P3D` or `+PT1H`. */
export type Moment = string;

export interface NumberSeed {
  /** This one, or any of its country and type. */
  number?: string;
  country: string;
  type?: string;
  prefix?: string;
  area?: string;
  needs_registration?: boolean;
  features?: string[];
  setup_price?: string;
  monthly_price?: string;
  channels?: number;
}

export interface SeededAccountRecords {
  /** Your own account if it is missing. */
  name?: string;
  balance?: string;
  credit?: string;
  api_keys?: { name: string; key: string }[];
  otp_applications?: { name: string; key: string; secret: string; [setting: string]: unknown }[];
  call_events?: { url: string; gzip?: boolean } | null;
  numbers?: (NumberSeed & {
    state?: 'active' | 'awaiting_registration' | 'blocked' | 'canceled' | 'expired';
    description?: string;
    bought_at?: Moment;
    expires_at?: Moment;
    billing_cycles_count?: number;
  })[];
  calls?: {
    number: string;
    src_number: string;
    at: Moment;
    ring_seconds?: number;
    talk_seconds?: number;
    code?: number;
  }[];
  verifications?: {
    destination: string;
    application?: string;
    delivery_method?: 'sms' | 'callout';
    status?: 'pending' | 'verified' | 'failed' | 'expired' | 'denied';
    error_code?: string;
    code?: string;
    created_at?: Moment;
  }[];
}

export interface Seed {
  catalogue?: 'demo';
  numbers?: (NumberSeed & { count?: number })[];
  accounts?: SeededAccountRecords[];
}

export interface Seeded {
  numbers: { did_group_id: string; stock_keeping_unit_id: string; numbers: string[] }[];
  accounts: {
    id: string;
    name: string;
    numbers: { id: string; number: string }[];
    calls: string[];
    verifications: string[];
  }[];
}

export interface World {
  readonly id: string;
  /** The base address for a client. */
  readonly url: string;
  readonly apiKey: string;
  readonly otp: { readonly key: string; readonly secret: string };
  /** Where its SIP is; null unless the world was made with `sip: true`. */
  readonly sip: { readonly host: string; readonly port: number } | null;
  readonly clock: {
    now(): Promise<Date>;
    advance(seconds: number): Promise<Date>;
    runTo(time: Date | string): Promise<Date>;
    untilIdle(withinSeconds?: number): Promise<Date>;
    /** From now on this many seconds pass in a second; 1 is real time. */
    setFactor(factor: number): Promise<Date>;
  };
  readonly inbox: {
    list(query?: { destination?: string; wait?: number }): Promise<Message[]>;
    waitFor(destination: string, options?: { wait?: number }): Promise<Message>;
  };
  readonly calls: {
    place(call: { did_number: string; src_number: string; script?: object }): Promise<Call>;
    hangUp(id: string): Promise<Call>;
    list(query?: Since): Promise<Call[]>;
  };
  /** Callbacks and call events. */
  readonly events: {
    list(query?: Since): Promise<Delivery[]>;
    waitFor(isWanted: (delivery: Delivery) => boolean, options?: { wait?: number }): Promise<Delivery>;
  };
  requests(query?: Since): Promise<SeenRequest[]>;
  timeline(query?: Since): Promise<{ now: string; happened: object[]; next: object[] }>;
  readonly faults: {
    add(fault: NewFault): Promise<Fault>;
    list(): Promise<Fault[]>;
    remove(id: string): Promise<void>;
    clear(): Promise<void>;
  };
  /** Plays the reviewer of `address_verifications` or `emergency_verifications`. */
  review(type: string, id: string, decision: { action: 'approve' | 'reject'; reasons?: string[] }): Promise<object>;
  /** Makes records as data: numbers for sale, accounts with owned numbers, past calls, verifications. */
  seed(records: Seed): Promise<Seeded>;
  /** Names the state of this world; others can be made from it. */
  snapshot(name: string): Promise<{ name: string }>;
  /** Writes the state of this world to a file. */
  saveSnapshot(file: string): Promise<void>;
  /** Back to how it began, with the same keys. */
  reset(): Promise<object>;
  end(): Promise<void>;
}

export interface Trunkline extends World {
  /** The server itself, for other processes: TRUNKLINE_URL and TRUNKLINE_API_KEY. */
  readonly root: { readonly url: string; readonly apiKey: string };
  world(wanted?: { from?: string; name?: string; sip?: boolean }): Promise<World>;
  /** Makes a snapshot of a file; `world({ from: name })` begins with it. */
  loadSnapshot(file: string, name: string): Promise<{ name: string }>;
  close(): Promise<void>;
}

export function startTrunkline(options?: StartOptions): Promise<Trunkline>;

export class TrunklineError extends Error {
  readonly status: number;
}
