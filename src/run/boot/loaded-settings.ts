/** Rows of a snapshot file that `/v3` does not declare, and how the interface that makes them checks what they say. */

import { OperatorError } from '../../base/operator-error.ts';
import { checkEmail, columnsOf } from '../../business/accounts/account-columns.ts';
import { keyScopes } from '../../business/accounts/key-scopes.ts';
import { unseal } from '../../business/accounts/secret.ts';
import { readCallbackUrl } from '../../business/callbacks/callback-request.ts';
import { checkedStream, streamSecretPurpose } from '../../business/voice/events/stream-settings.ts';
import type { Environment } from '../../engines/environment.ts';
import { knownVersions } from '../../interfaces/platform/versions/versions.ts';
import { isPossibleFault } from '../../interfaces/sandbox/control-faults.ts';
import { applicationSecretPurpose } from '../../interfaces/verification/application.ts';
import { applicationColumns, checkedSecret } from '../../interfaces/verification/application.writes.ts';

/** The database that a file was loaded into. */
export type Loaded = Pick<Environment, 'pool' | 'db' | 'serverKey'>;

interface LoadedSettings {
  readonly table: string;
  /** As the database's own names of columns. */
  readonly columns: string;
  /** Throws OperatorError. */
  check(row: never, loaded: Loaded): unknown;
}

interface AccountRow {
  name: string;
  email: string | null;
  credit: string;
  vat_rate: string;
  api_version: string | null;
  call_events: { url: string; gzip: boolean } | null;
}

interface ApplicationRow {
  name: string;
  description: string | null;
  callback_url: string | null;
  senders: Record<string, string>;
  sealed_secret: string;
}

interface StreamRow {
  url: string;
  username: string | null;
  sealed_password: string | null;
  sealed_headers: string | null;
}

export const loadedSettings: readonly LoadedSettings[] = [
  {
    table: 'accounts',
    columns: 'name, email, credit, vat_rate, api_version, call_events',
    check: async ({ name, email, credit, vat_rate, api_version, call_events }: AccountRow, { serverKey }) => {
      requireText('a name', name, 255);
      if (email !== null) checkEmail(email);
      if (api_version !== null && !knownVersions.includes(api_version))
        throw new OperatorError(`there is no API version "${api_version}".`);
      if (call_events !== null) requireCallEvents(call_events);
      const version = api_version === null ? {} : { apiVersion: api_version };
      await columnsOf(serverKey, { credit, vatRate: vat_rate, ...version, callEvents: call_events });
    },
  },
  {
    table: 'api_keys',
    columns: 'name, scopes',
    check: ({ name, scopes }: { name: string; scopes: string[] | null }) => {
      requireText('a name', name, 100);
      const unknown = scopes?.find((scope) => !keyScopes.includes(scope));
      if (unknown !== undefined) throw new OperatorError(`"${unknown}" is not a scope of a key.`);
    },
  },
  {
    table: 'otp_applications',
    columns: 'name, description, callback_url, senders, sealed_secret',
    check: ({ name, description, callback_url, senders, sealed_secret }: ApplicationRow, { serverKey }) => {
      requireTexts('senders', senders);
      applicationColumns({ name, description, callbackUrl: callback_url, senders });
      checkedSecret(unseal(serverKey, applicationSecretPurpose, sealed_secret));
    },
  },
  {
    table: 'call_event_streams',
    columns: 'url, username, sealed_password, sealed_headers',
    check: ({ url, username, sealed_password, sealed_headers }: StreamRow, { serverKey }) => {
      const open = (sealed: string | null) => (sealed === null ? null : unseal(serverKey, streamSecretPurpose, sealed));
      requireText('a short user name', username ?? '-', 200);
      requireText('a short password', open(sealed_password) ?? '-', 200);
      checkedStream({ url, headers: requireTexts('headers', parsed(open(sealed_headers) ?? '{}')) });
    },
  },
  {
    table: 'balance_alerts',
    columns: 'callback_url',
    check: ({ callback_url }: { callback_url: string | null }) => {
      if (callback_url !== null && readCallbackUrl(callback_url) === null) {
        throw new OperatorError('the callback needs an http or https URL.');
      }
    },
  },
  {
    table: 'faults',
    columns: 'match, action, times_left, probability, seed',
    check: (fault: Parameters<typeof isPossibleFault>[0]) => {
      if (!isPossibleFault(fault)) throw new OperatorError('one is none that could have been asked for.');
    },
  },
  ...['dids', 'did_reservations'].map((table) => ({
    table,
    columns: 'number',
    check: ({ number }: { number: string }) => {
      if (!/^[1-9][0-9]{5,14}$/.test(number)) throw new OperatorError(`"${number}" is not a number.`);
    },
  })),
];

function requireText(what: string, text: string, most: number): void {
  if (text.trim() !== '' && text.length <= most && !/\p{Cc}/u.test(text)) return;
  throw new OperatorError(`there has to be ${what}, of at most ${most} characters.`);
}

function requireCallEvents({ url, gzip }: { url: unknown; gzip: unknown }): void {
  if (typeof url === 'string' && url.length <= 2000 && typeof gzip === 'boolean') return;
  throw new OperatorError('call events need an URL.');
}

function requireTexts(what: string, value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  if (entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    return Object.fromEntries(entries);
  }
  throw new OperatorError(`the ${what} are not texts by name.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
