import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { changeLinks, newAuthentication, type OutTrunkInput, requireTls, trunkColumns } from './trunk-rules.ts';

export async function createVoiceOutTrunk(context: PlatformContext, input: OutTrunkInput): Promise<string> {
  const { env } = context;
  const { accountId, signingKey } = callerOf(context);
  const { attributes, relationships } = input;
  requireTls(context, input);
  if (!attributes.authentication_method) throw new Error('the engine lets no trunk without a method pass');
  const authentication = newAuthentication(attributes.authentication_method, null);
  return env.db.transaction().execute(async (trx) => {
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
        default_did_id: relationships.default_did?.id ?? null,
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await changeLinks(trx, 'dids', id, relationships.dids ?? []);
    await changeLinks(trx, 'emergency_dids', id, relationships.emergency_dids ?? []);
    return id;
  });
}
