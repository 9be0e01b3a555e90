import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { runIn } from '../../db/transaction.ts';
import type { DuringUpdate } from '../../jsonapi/resource.ts';
import { announceTrunk, applyNewThreshold } from '../../voice/outbound/threshold.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { changeLinks, newAuthentication, type OutTrunkInput, requireTls, trunkColumns } from './trunk-rules.ts';

/** Links that a switch rules out are dropped with it; blocking and unblocking, by hand or by a new limit, is told to the callback. */
export async function updateVoiceOutTrunk(
  context: PlatformContext,
  id: string,
  input: OutTrunkInput,
  { checkLocked }: DuringUpdate,
): Promise<void> {
  const { env } = context;
  const { attributes, relationships } = input;
  requireTls(context, input);
  await env.db.transaction().execute(async (trx) => {
    const stored = await trx
      .selectFrom('voice_out_trunks')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await checkLocked?.(runIn(trx));
    const action = String(attributes.on_cli_mismatch_action ?? stored.on_cli_mismatch_action);
    const defaultDid =
      relationships.default_did === undefined ? stored.default_did_id : (relationships.default_did?.id ?? null);
    const method = attributes.authentication_method;
    const authentication = method
      ? newAuthentication(method, { type: stored.authentication_type, attributes: stored.authentication })
      : null;
    const changedStatus = attributes.status !== undefined && attributes.status !== stored.status;
    const changed = await trx
      .updateTable('voice_out_trunks')
      .set({
        ...trunkColumns(input),
        default_did_id: action === 'replace_cli' ? defaultDid : null,
        ...(authentication
          ? { authentication_type: authentication.type, authentication: JSON.stringify(authentication.attributes) }
          : {}),
        ...(attributes.callback_url ? { sealed_signing_key: sealSigningKey(env, callerOf(context).signingKey) } : {}),
        ...(changedStatus && attributes.status === 'active' ? { threshold_reached: false } : {}),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const isAnyAllowed = attributes.allow_any_did_as_cli ?? stored.allow_any_did_as_cli;
    const dids = isAnyAllowed ? [] : relationships.dids;
    if (dids) await changeLinks(trx, 'dids', id, dids);
    const isForAll = attributes.emergency_enable_all ?? stored.emergency_enable_all;
    const emergency = isForAll ? [] : relationships.emergency_dids;
    if (emergency) await changeLinks(trx, 'emergency_dids', id, emergency);
    if (changedStatus) await announceTrunk(trx, env, changed);
    // Who blocks or opens it by hand in the same request has decided.
    else if (attributes.threshold_amount !== undefined) await applyNewThreshold(trx, env, id);
  });
}
