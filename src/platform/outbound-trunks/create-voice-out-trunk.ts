import { sealSigningKey } from '../../callbacks/signing-key.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import {
  checkSwitches,
  keepUnique,
  newAuthentication,
  type OutTrunkInput,
  replaceLinks,
  trunkColumns,
} from './trunk-rules.ts';

export async function createVoiceOutTrunk(context: PlatformContext, input: OutTrunkInput): Promise<string> {
  const { env } = context;
  const { accountId, signingKey } = callerOf(context);
  const { attributes, relationships } = input;
  const default_did_id = relationships.default_did?.id ?? null;
  checkSwitches(context, input, {
    allow_any_did_as_cli: attributes.allow_any_did_as_cli === true,
    emergency_enable_all: attributes.emergency_enable_all === true,
    on_cli_mismatch_action: String(attributes.on_cli_mismatch_action),
    default_did_id,
  });
  if (!attributes.authentication_method) throw new Error('the engine lets no trunk without a method pass');
  const authentication = newAuthentication(attributes.authentication_method, null);
  return keepUnique(() =>
    env.db.transaction().execute(async (trx) => {
      const { id } = await trx
        .insertInto('voice_out_trunks')
        .values({
          ...trunkColumns(input),
          name: String(attributes.name),
          on_cli_mismatch_action: String(attributes.on_cli_mismatch_action),
          account_id: accountId,
          authentication_type: authentication.type,
          authentication: JSON.stringify(authentication.attributes),
          sealed_signing_key: attributes.callback_url ? sealSigningKey(env, signingKey) : null,
          default_did_id,
          created_at: context.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await replaceLinks(trx, 'dids', id, relationships.dids ?? []);
      await replaceLinks(trx, 'emergency_dids', id, relationships.emergency_dids ?? []);
      return id;
    }),
  );
}
