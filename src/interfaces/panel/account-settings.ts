/** `account_settings` of `/panel/v1`: what its owner may change of the account; one record, with the account's id. */
import { updateAccount } from '../../business/accounts/accounts.ts';
import { setBalanceAlert } from '../../business/billing/balance-alerts.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { boolean, decimal, list, text } from '../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import type { UpdateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { knownVersions, shownVersion } from '../platform/versions/versions.ts';
import { owned, type PanelContext, refusedAt } from './context.ts';

const alertColumn = (column: string) => `(select b.${column} from balance_alerts b where b.account_id = t.id)`;

const settingAttributes = {
  name: text({ doc: 'Its name.' }),
  email: text({ nullable: true, doc: 'The e-mail address that signs in.' }),
  api_version: text({
    write: 'update',
    enum: knownVersions,
    column: shownVersion,
    doc: 'The version of `/v3` for requests that name none.',
  }),
  api_version_fixed: boolean({
    column: 't.api_version is not null',
    doc: 'False until the first request with a key fixes the version, which is the newest one of that moment.',
  }),
  api_versions: list(
    { type: 'string', enum: knownVersions },
    {
      column: `array[${knownVersions.map((version) => `'${version}'`).join(', ')}]`,
      doc: 'The versions that this server knows, oldest first.',
    },
  ),
  has_callback_secret: boolean({
    column: 't.sealed_callback_secret is not null',
    doc: 'Whether callbacks are signed with a secret of their own instead of the API key of the request.',
  }),
  callback_secret: text({
    write: 'update',
    writeOnly: true,
    nullable: true,
    maxLength: 200,
    doc: 'Signs callbacks; null lets the API key of each request sign.',
  }),
  low_balance_threshold: decimal({
    write: 'update',
    nullable: true,
    column: alertColumn('threshold'),
    doc: 'When the balance falls below it, the team is told by e-mail, once; null tells nobody.',
  }),
  low_balance_callback_url: text({
    write: 'update',
    nullable: true,
    maxLength: 2000,
    column: alertColumn('callback_url'),
    doc: 'Gets a callback then, signed with the callback secret.',
  }),
  created_at: createdAt,
};

export const accountSettings = owned('account_settings', {
  group: 'Panel',
  noun: ['account settings', 'account settings'],
  summary: 'What the owner of the account may change.',
  table: 'accounts',
  accountColumn: 't.id',
  endpoints: { list: false },
  attributes: settingAttributes,
  update: updateSettings,
});

async function updateSettings(
  context: PanelContext,
  _id: string,
  input: UpdateOf<typeof settingAttributes, object>,
): Promise<void> {
  const { api_version, callback_secret } = input.attributes;
  const { low_balance_threshold: threshold, low_balance_callback_url: callbackUrl } = input.attributes;
  const { accountId, role } = callerOf(context);
  if (role === 'billing' && (api_version !== undefined || callback_secret !== undefined)) {
    throw new ApiError([errors.forbidden('The role billing may only set the warning of a low balance.')]);
  }
  await inTransaction(context.env.db, async (db) => {
    await refusedAt(
      () => 'api_version',
      () =>
        updateAccount({ ...context.env, db }, accountId, {
          ...(api_version === undefined ? {} : { apiVersion: api_version }),
          ...(callback_secret === undefined ? {} : { callbackSecret: callback_secret === '' ? null : callback_secret }),
        }),
    );
    await refusedAt(
      () => (callbackUrl == null ? 'low_balance_threshold' : 'low_balance_callback_url'),
      () =>
        setBalanceAlert(db, accountId, {
          ...(threshold === undefined ? {} : { threshold }),
          ...(callbackUrl === undefined ? {} : { callbackUrl }),
        }),
    );
  });
}
