/** The endpoints of an account's four streams. Cached until any process changes the account. */

import { OperatorError } from '../../../base/operator-error.ts';
import { keepUntilChanged } from '../../../engines/db/kept.ts';
import type { StreamName } from '../../../engines/db/tables/calls.ts';
import type { Environment } from '../../../engines/environment.ts';
import { seal, unseal } from '../../accounts/secret.ts';

export interface StreamSettings {
  url: string;
  gzip: boolean;
  username: string | null;
  password: string | null;
  headers: Readonly<Record<string, string>>;
}

export type ReadSettings = (accountId: string, stream: StreamName) => Promise<StreamSettings | null>;

export const streamNames: readonly StreamName[] = [
  'voice_in_events',
  'voice_out_events',
  'voice_in_cdr',
  'voice_out_cdr',
];

export function createSettingsReader(env: Environment): ReadSettings {
  const kept = keepUntilChanged<StreamSettings | null>(env.changes, {
    outdatedBy: { account: (accountId, _settings, id) => id.startsWith(`${accountId} `) },
  });
  return (accountId, stream) => kept.read(`${accountId} ${stream}`, () => readStream(env, accountId, stream));
}

/** A stream's own row has precedence over the settings of the account, which apply to Voice IN events only. */
export async function readStream(
  env: Environment,
  accountId: string,
  stream: StreamName,
): Promise<StreamSettings | null> {
  const row = await env.db
    .selectFrom('call_event_streams')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('stream', '=', stream)
    .executeTakeFirst();
  if (row !== undefined) {
    const headers =
      row.sealed_headers === null ? {} : JSON.parse(unseal(env.serverKey, streamSecretPurpose, row.sealed_headers));
    const password =
      row.sealed_password === null ? null : unseal(env.serverKey, streamSecretPurpose, row.sealed_password);
    return { url: row.url, gzip: row.gzip, username: row.username, password, headers };
  }
  if (stream !== 'voice_in_events') return null;
  const account = await env.db
    .selectFrom('accounts')
    .select('call_events')
    .where('id', '=', accountId)
    .executeTakeFirst();
  const first = account?.call_events ?? null;
  return first === null ? null : { url: first.url, gzip: first.gzip, username: null, password: null, headers: {} };
}

/** Sets the endpoint of one stream, or removes it if `settings` is null. */
export async function writeStream(
  env: Environment,
  accountId: string,
  stream: StreamName,
  settings: (Partial<StreamSettings> & { url: string }) | null,
): Promise<void> {
  if (settings === null) {
    await env.db
      .deleteFrom('call_event_streams')
      .where('account_id', '=', accountId)
      .where('stream', '=', stream)
      .execute();
    return;
  }
  const headers = checkedStream(settings);
  const values = {
    url: settings.url,
    gzip: settings.gzip ?? false,
    username: settings.username ?? null,
    sealed_password: settings.password ? seal(env.serverKey, streamSecretPurpose, settings.password) : null,
    sealed_headers:
      Object.keys(headers).length > 0 ? seal(env.serverKey, streamSecretPurpose, JSON.stringify(headers)) : null,
  };
  await env.db
    .insertInto('call_event_streams')
    .values({ account_id: accountId, stream, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'stream']).doUpdateSet(values))
    .execute();
}

export const streamSecretPurpose = 'call event stream';

/** Rejects what cannot be sent. Returns the headers. */
export function checkedStream({ url, headers = {} }: Partial<StreamSettings> & { url: string }) {
  if (!/^https?:\/\/\S+$/i.test(url)) throw new OperatorError(`"${url}" is not an http or https URL.`);
  return checkedHeaders(headers);
}

/** Rejects headers that the sender sets itself, and values that contain a line break. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const own = new Set([
    'content-type',
    'content-length',
    'content-encoding',
    'host',
    'expect',
    'transfer-encoding',
    'connection',
  ]);
  for (const [name, value] of Object.entries(headers)) {
    if (
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ||
      own.has(name.toLowerCase()) ||
      /[^\t\x20-\x7e\x80-\xff]/.test(value)
    ) {
      throw new OperatorError(`The header "${name}" cannot be sent.`);
    }
  }
  return { ...headers };
}
