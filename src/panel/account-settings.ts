/** `account_settings` of `/panel/v1`: what its owner may change of the account; one record, with the account's id. */
import { updateAccount } from '../accounts/accounts.ts';
import { boolean, list, text } from '../jsonapi/attributes.ts';
import type { WriteInput } from '../jsonapi/resource.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { knownVersions } from '../platform/versions/versions.ts';
import { owned, type PanelContext, refusedAt } from './context.ts';

export const accountSettings = owned('account_settings', {
  group: 'Panel',
  noun: ['account settings', 'account settings'],
  summary: 'What the owner of the account may change.',
  table: 'accounts',
  accountColumn: 't.id',
  endpoints: { list: false },
  attributes: {
    name: text({ doc: 'Its name.' }),
    email: text({ nullable: true, doc: 'The e-mail address that signs in.' }),
    api_version: text({
      write: 'update',
      enum: knownVersions,
      doc: 'The version of `/v3` for requests that name none.',
    }),
    api_versions: list(
      { type: 'string' },
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
    created_at: createdAt,
  },
  update: updateSettings,
});

interface Settings {
  api_version?: string;
  callback_secret?: string | null;
}

async function updateSettings(context: PanelContext, _id: string, input: WriteInput<Settings>): Promise<void> {
  const { api_version, callback_secret } = input.attributes;
  await refusedAt(
    () => 'api_version',
    () =>
      updateAccount(context.env, callerOf(context).accountId, {
        ...(api_version === undefined ? {} : { apiVersion: api_version }),
        ...(callback_secret === undefined ? {} : { callbackSecret: callback_secret === '' ? null : callback_secret }),
      }),
  );
}
