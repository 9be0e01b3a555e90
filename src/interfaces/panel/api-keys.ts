/**
 * `api_keys` of `/panel/v1`: a key is shown once, when it is created; a deleted key is revoked and stays in the list.
 */

import { isUuid } from '../../base/uuid.ts';
import { madeByOperator } from '../../business/accounts/acting.ts';
import { createApiKey, endReplacedKey, revokeApiKey } from '../../business/accounts/api-keys.ts';
import { keyScopes } from '../../business/accounts/key-scopes.ts';
import { boolean, dateTime, integer, list, text } from '../../engines/jsonapi/attributes.ts';
import { invalid, refuse } from '../../engines/jsonapi/errors.ts';
import { anyId, anyOf, contains, explained, since } from '../../engines/jsonapi/filters.ts';
import type { CreateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext, refusedAt, withShownOnce } from './context.ts';

const keyAttributes = {
  name: text({ write: 'create', required: true, maxLength: 100, doc: 'What the key is for.' }),
  allowed_ips: list(
    { type: 'string' },
    {
      write: 'create',
      default: [],
      maxItems: 100,
      column:
        'array(select case when masklen(a) = case family(a) when 4 then 32 else 128 end then host(a) else a::text end from unnest(t.allowed_ips) a)',
      doc: 'Addresses and networks from which it may be used; none means every address.',
    },
  ),
  rate_limit: integer({
    write: 'create',
    nullable: true,
    min: 1,
    max: 1_000_000,
    doc: "Requests a second; null means the environment's usual limit.",
  }),
  scopes: list(
    { type: 'string', enum: keyScopes },
    {
      write: 'create',
      nullable: true,
      maxItems: keyScopes.length,
      doc: 'What it may do: areas, each whole or `:read` only; null means everything.',
    },
  ),
  replaces: text({
    write: 'create',
    writeOnly: true,
    nullable: true,
    doc: 'The id of a key that this one takes the place of; that one ends after `overlap_hours`.',
  }),
  overlap_hours: integer({
    write: 'create',
    writeOnly: true,
    default: 24,
    min: 0,
    max: 720,
    doc: 'How long the replaced key still works.',
  }),
  prefix: text({ doc: 'Its first characters, by which people recognise it.' }),
  key: text({ nullable: true, column: 't.shown_once', doc: 'The key itself, in the response to its creation only.' }),
  created_at: createdAt,
  made_by_operator: boolean({
    column: madeByOperator('api_keys'),
    doc: 'Whether an operator made it who acted as this customer.',
  }),
  last_used_at: dateTime({
    nullable: true,
    column: '(select u.last_used_at from api_key_uses u where u.api_key_id = t.id)',
    doc: 'When it was last used, some seconds late; null if never.',
  }),
  revoked_at: dateTime({ nullable: true, doc: 'When it was revoked; null while it works.' }),
  expires_at: dateTime({ nullable: true, doc: 'Until when it works, if it was replaced; null without an end.' }),
};

export const apiKeys = owned('api_keys', {
  group: 'Panel',
  noun: 'API key',
  deleteVerb: 'Revoke',
  summary: 'A key with which programs use the interfaces of this account.',
  from: withShownOnce('api_keys'),
  attributes: keyAttributes,
  filters: {
    id: anyId('t.id'),
    name: contains('t.name'),
    state: anyOf("case when t.revoked_at is null then 'active' else 'revoked' end", {
      values: { active: 'It works.', revoked: 'It was revoked.' },
    }),
  },
  sort: ['name', 'created_at', 'last_used_at'],
  defaultSort: '-created_at',
  create: createKey,
  delete: revokeKey,
});

async function createKey(
  context: PanelContext,
  { attributes }: CreateOf<typeof keyAttributes, object>,
): Promise<string> {
  const { name, allowed_ips = [], rate_limit = null, scopes = null, replaces = null, overlap_hours = 24 } = attributes;
  const { accountId } = callerOf(context);
  if (replaces !== null) {
    const replaced = { accountId, id: replaces, overlapSeconds: overlap_hours * 3600 };
    const isKnown = isUuid(replaces) && (await endReplacedKey(context.env, replaced));
    if (!isKnown) refuse(invalid.attribute('replaces', 'is not an active key of this account'));
  }
  const { id, key } = await refusedAt(
    (message) => (message.includes('IP address') ? 'allowed_ips' : message.includes('scope') ? 'scopes' : 'name'),
    () => createApiKey(context.env, accountId, { name, allowedIps: allowed_ips, rateLimit: rate_limit, scopes }),
  );
  context.shownOnce.secret = key;
  return id;
}

/** The engine has found the key in this account. A key that is already revoked stays as it is. */
async function revokeKey({ env }: PanelContext, id: string): Promise<void> {
  await revokeApiKey(env, id);
}

export const apiUsage = owned('api_usage', {
  group: 'Panel',
  noun: ['API usage', 'API usage'],
  summary: 'How often a key asked for a path with the same outcome, in the last 31 days.',
  from: `(select md5(concat_ws(E'\\n', u.api_key_id, u.method, u.path, u.status, u.error))::uuid as id, k.account_id,
            k.id as api_key_id, k.name as key_name, u.method, u.path, u.status, u.error, sum(u.requests)::integer as requests,
            max(u.last_at) as last_at
          from api_key_usage u join api_keys k on k.id = u.api_key_id
          group by k.id, u.api_key_id, u.method, u.path, u.status, u.error) t`,
  attributes: {
    key_name: text({ doc: 'The key.' }),
    method: text({ doc: 'The method of the requests.' }),
    path: text({ doc: 'Their path, without ids.' }),
    status: integer({ doc: 'The status of the responses.' }),
    error: text({ doc: 'The title of the error; empty for successes.' }),
    requests: integer({ doc: 'How many there were.' }),
    last_at: dateTime({ doc: 'When the last one came.' }),
  },
  filters: {
    'api_key.id': anyId('t.api_key_id'),
    path_contains: explained('Whose path contains this text.', contains('t.path')),
    outcome: anyOf("case when t.status < 400 then 'success' else 'error' end", {
      values: { success: 'They succeeded.', error: 'They were refused or failed.' },
    }),
    last_at_gteq: explained('The last of which came at this time or later.', since('t.last_at')),
  },
  sort: { requests: 't.requests', last_at: 't.last_at', status: 't.status', path: 't.path' },
  defaultSort: '-requests',
  endpoints: { read: false },
});
