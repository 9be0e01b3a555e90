/** What every room receives of the environment it works in. */
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { ServerKey } from '../base/server-key.ts';
import type { Changes } from './db/changes.ts';
import type { Replicas } from './db/replicas.ts';
import type { Schema } from './db/schema.ts';
import type { InjectedFaults } from './injected-faults.ts';
import type { Jobs } from './jobs/queue.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { OutboundHttp } from './outbound/outbound-http.ts';

export type EnvironmentName = 'production' | 'sandbox';

export interface CallSettings {
  /**
   * A call that comes to the end of its money is cut at most so many seconds after the account could not pay any more.
   */
  readonly reserveSeconds: number;
  /** Networks from which calls of Twilio trunks are accepted. */
  readonly twilioNetworks: readonly string[];
  /** What callers and phones are challenged with, in this order. */
  readonly digest: readonly ('MD5' | 'SHA-256')[];
  /** Beginnings of the User-Agents of phones that are offered MD5 alone. */
  readonly md5Agents: readonly string[];
  /** Where production asks for callers' names; null for the operator's own list only. */
  readonly names: NameService | null;
  /** Authorities (PEM, one certificate each) whose signers of callers are believed; without any, none are verified. */
  readonly identityAuthorities: readonly string[];
}

export interface NameService {
  /** With `{number}` where the digits of the caller go. */
  readonly url: string;
  readonly token: string | null;
  /** The member of its JSON that has the name, such as `caller_name.caller_name`. */
  readonly member: string;
  readonly timeoutMs: number;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments?: readonly MailAttachment[];
}

interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  /** Base64. */
  readonly content: string;
}

/** The way out for e-mails; `mail/mailer.ts` is the one by SMTP. */
export interface Mailer {
  /** Resolves once the server has taken the e-mail. Errors hold what the server said, never the e-mail's text. */
  send(mail: Mail): Promise<void>;
}

/** What a process has once in an environment, made when it is first needed. */
export interface Once<T> {
  made?: T | undefined;
}

export interface Neighbour {
  readonly name: EnvironmentName;
  readonly publicUrl: string | null;
  readonly port: number;
}

/** Its own database, clock, jobs and port; it shares no row with another. */
export interface Environment {
  readonly name: EnvironmentName;
  readonly pool: Pool;
  readonly db: Kysely<Schema>;
  /** For reads that decide nothing and may be some seconds old; absent without any. */
  readonly replicas?: Replicas;
  /** Hears what other processes change. */
  readonly changes: Changes;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly log: Logger;
  /** Encrypts secrets at rest and keys the hashes of codes; generated on first start, kept in the data folder. */
  readonly serverKey: ServerKey;
  /** Base of the links in responses when a proxy stands in front; otherwise the request's own scheme and host. */
  readonly publicUrl: string | null;
  /** The environment that the same program serves beside this one; the panel leads from one to the other. */
  readonly beside?: Neighbour | null;
  /** The path that a world is served under, such as `/w/1f0c…`; nothing for the environments themselves. */
  readonly path?: string;
  /** The one way out by HTTP, with what this environment may reach. */
  readonly outbound: OutboundHttp;
  /** Faults on demand; only a sandbox has them. */
  readonly faults?: InjectedFaults;
  /** What an operator has set about calls. */
  readonly calls: CallSettings;
  /**
   * How long orders of numbers stay pending unless an account has a time of its own; without it they complete at once.
   */
  readonly orderSeconds?: number;
  /** What seeds of an account may make in a day; without it as much as they want. */
  readonly seedLimits?: SeedLimits;
  /** How many hours messages, reasons and refusals of calls are kept; 0 keeps none. */
  readonly traceHours: number;
  /** The way out for e-mails; null without SMTP settings. */
  readonly mailer: Mailer | null;
  /** Where the files of exports and uploads lie; null keeps them in the database. */
  readonly objects: ObjectStore | null;
  /** Who sells: on statements and invoices. */
  readonly seller: Seller;
  /** The currency of all amounts, an ISO 4217 code. */
  readonly currency: string;
  /** Of the month, on which the bills of the month before are issued; 0 is by hand. */
  readonly invoiceDay: number;
  /** The word in the headers this server sends: `X-<word>-Signature`. */
  readonly headerWord: string;
}

export interface Seller {
  /** Name and address, line by line; the first is the name. */
  readonly lines: readonly string[];
  /** ISO code. */
  readonly country: string | null;
  readonly vatId: string | null;
}

/** 0 is no limit. */
export interface SeedLimits {
  readonly records: number;
  readonly accounts: number;
}
