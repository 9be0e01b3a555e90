/** `api_keys` of `/panel/v1`: a key is shown once, when it is created; a deleted key is revoked and stays in the list. */
import { createApiKey, revokeApiKey } from '../accounts/api-keys.ts';
import { dateTime, integer, list, text } from '../jsonapi/attributes.ts';
import { anyOf, contains } from '../jsonapi/filters.ts';
import type { WriteInput } from '../jsonapi/resource.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext, refusedAt, withShownOnce } from './context.ts';

export const apiKeys = owned('api_keys', {
  group: 'Panel',
  noun: 'API key',
  deleteVerb: 'Revoke',
  summary: 'A key with which programs use the interfaces of this account.',
  from: withShownOnce('api_keys'),
  attributes: {
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
    prefix: text({ doc: 'Its first characters, by which people recognise it.' }),
    key: text({ nullable: true, column: 't.shown_once', doc: 'The key itself, in the response to its creation only.' }),
    created_at: createdAt,
    last_used_at: dateTime({
      nullable: true,
      column: '(select u.last_used_at from api_key_uses u where u.api_key_id = t.id)',
      doc: 'When it was last used, some seconds late; null if never.',
    }),
    revoked_at: dateTime({ nullable: true, doc: 'When it was revoked; null while it works.' }),
  },
  filters: {
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

type KeyInput = WriteInput<{ name: string; allowed_ips?: string[]; rate_limit?: number | null }>;

async function createKey(context: PanelContext, { attributes }: KeyInput): Promise<string> {
  const { name, allowed_ips = [], rate_limit = null } = attributes;
  const { id, key } = await refusedAt(
    (message) => (message.includes('IP address') ? 'allowed_ips' : 'name'),
    () =>
      createApiKey(context.env, callerOf(context).accountId, { name, allowedIps: allowed_ips, rateLimit: rate_limit }),
  );
  context.shownOnce.secret = key;
  return id;
}

/** The engine has found the key in this account. A key that is already revoked stays as it is. */
async function revokeKey({ env }: PanelContext, id: string): Promise<void> {
  await revokeApiKey(env, id);
}
