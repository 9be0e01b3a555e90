/** What the settings say, typed. */

import type { ServerKey } from '../../base/server-key.ts';
import type { MediaConfig } from '../../business/b2bua/media-settings.ts';
import type { SipConfig, SipPorts } from '../../business/b2bua/sip-settings.ts';
import type { SmtpConfig } from '../../business/mail/mailer.ts';
import type { CallSettings, EnvironmentName, Seller } from '../../engines/environment.ts';
import type { S3Config } from '../../engines/objects/s3-store.ts';
import type { ClockMovers } from '../../interfaces/sandbox/clock-movers.ts';

/** `voice` serves SIP and carries its calls. */
export type Role = 'api' | 'worker' | 'voice';

export interface Config {
  readonly host: string;
  readonly roles: ReadonlySet<Role>;
  readonly dataDirectory: string;
  readonly trustedProxies: string[];
  readonly bootstrapFile: string | null;
  readonly readyFile: string | null;
  /** Ranges that callbacks may reach although they are not public. */
  readonly outboundAllow: string[];
  /** The word in the headers this server sends: `X-<word>-Signature`. */
  readonly headerWord: string;
  /** How many hours messages, reasons and refusals of calls are kept; 0 keeps none. */
  readonly traceHours: number;
  /** What an operator has set about calls. */
  readonly calls: CallSettings;
  /** How long orders of numbers stay pending in the sandbox. */
  readonly sandboxOrderSeconds: number;
  /** What seeds of an account may make in a day. Null: without limit, but where strangers can reach the sandbox. */
  readonly sandboxSeeds: { readonly records: number | null; readonly accounts: number | null };
  /** Who sells: on statements and invoices. */
  readonly seller: Seller;
  /** ISO 4217. */
  readonly currency: string;
  /** Of the month, on which the bills of the month before are issued; 0 is by hand. */
  readonly invoiceDay: number;
  /** Null: no e-mails are sent. */
  readonly smtp: SmtpConfig | null;
  /** Null: files are stored in the database. */
  readonly s3: S3Config | null;
  /** Null: generated into the data folder. */
  readonly serverKey: ServerKey | null;
  /** Where spans go, if anywhere, and of how many requests. */
  readonly traces: { readonly url: string | null; readonly share: number };
  /** Null: any account, or the operator only where strangers can reach the sandbox. */
  readonly sandboxClock: ClockMovers | null;
  /** Networks that may read /metrics, beside this machine and operators. */
  readonly metricsNetworks: readonly string[];
  /** PEM files whose end /metrics shows. */
  readonly certificates: string[];
  readonly logLevel: string;
  readonly databaseConnections: number;
  /** Null: two in five. */
  readonly accountConnections: number | null;
  readonly databaseWaitMs: number;
  /** The age of what is read from a replica, at most. */
  readonly replicaLagSeconds: number;
  readonly requestLimits: {
    readonly headersMs: number;
    readonly bodyMs: number;
    readonly requestMs: number;
    readonly connectionsPerAddress: number;
  };
  /** How many requests each environment of this process works on at a time. */
  readonly requestsInFlight: {
    readonly platform: number;
    readonly perAccount: number;
    readonly verification: number;
  };
  /** Of new keys for uploaded files. */
  readonly fileKeyBits: number;
  /** How long requests are kept for operators; zero: not at all. */
  readonly requestLogDays: number;
  /** How often carriers and trunks are asked with OPTIONS whether they are there; zero: never. */
  readonly sipCheckSeconds: number;
  /** How long a stop waits for calls that are up; zero: they are ended. */
  readonly drainSeconds: number;
  /** Pages of others that may open SIP over WebSocket. */
  readonly sipOrigins: readonly string[];
  readonly sip: SipConfig;
  readonly media: MediaConfig;
  readonly worlds: WorldsConfig;
  readonly environments: Readonly<Record<EnvironmentName, EnvironmentConfig>>;
}

/** How many worlds the sandbox may have, and for how long. */
interface WorldsConfig {
  /** None at all if 0. */
  readonly most: number;
  /** With SIP of their own. */
  readonly mostSip: number;
  readonly idleMs: number;
  readonly ready: number;
  readonly mostBytes: number;
}

interface EnvironmentConfig {
  /** Zero is any free port; null means that this process has nothing to do with the environment. */
  readonly port: number | null;
  /** Of /operator/v1: `shared` serves it on `port`, null nowhere. */
  readonly operatorPort: number | 'shared' | null;
  /** Null: no SIP. */
  readonly sip: SipPorts | null;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** The same database without a pooler in between; null if there is none. */
  readonly databaseDirectUrl: string | null;
  /** Standbys for reads that may be some seconds old. */
  readonly databaseReplicaUrls: readonly string[];
  readonly publicUrl: string | null;
}
