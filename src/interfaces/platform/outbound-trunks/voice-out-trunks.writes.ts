/** Creates, updates and deletes outbound trunks. */

import { type Kysely, sql } from 'kysely';
import { sealSigningKey } from '../../../business/callbacks/callback-request.ts';
import { endCallsOfTrunks } from '../../../business/voice/end-elsewhere.ts';
import { announceTrunk, applyNewThreshold } from '../../../business/voice/outbound/threshold.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { AuthenticationType } from '../../../engines/db/tables/voice.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import { membershipChange, type ToManyInput } from '../../../engines/jsonapi/linkage.ts';
import { type TypedObject, wholeObject } from '../../../engines/jsonapi/parse-object.ts';
import type { DuringUpdate } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput, UpdateInput } from '../../../engines/jsonapi/sent.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { featureMissing } from '../refusals.ts';
import { authenticationMethod } from './authentication.ts';
import type { voiceOutTrunkMembers } from './voice-out-trunks.members.ts';

export async function createVoiceOutTrunk(context: PlatformContext, input: NewTrunk): Promise<string> {
  const { env } = context;
  const { accountId, signingKey } = callerOf(context);
  const { attributes, relationships } = input;
  requireTls(context, input);
  const authentication = newAuthentication(attributes.authentication_method, null);
  return inTransaction(context.db, async (trx) => {
    const { id } = await trx
      .insertInto('voice_out_trunks')
      .values({
        ...trunkColumns(input),
        name: attributes.name,
        on_cli_mismatch_action: attributes.on_cli_mismatch_action,
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

/**
 * Removes the linked numbers that the new settings no longer use. Blocking and unblocking, by request or by a new
 * threshold, are reported to the callback.
 */
export async function updateVoiceOutTrunk(
  context: PlatformContext,
  id: string,
  input: TrunkChange,
  { checkLocked }: DuringUpdate,
): Promise<void> {
  const { env } = context;
  const { attributes, relationships } = input;
  requireTls(context, input);
  await inTransaction(env.db, async (trx) => {
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
        ...(changedStatus && attributes.status === 'active' ? unblocked(stored, context.now) : {}),
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
    // A status that is set in the same request takes precedence over the new threshold.
    else if (attributes.threshold_amount !== undefined) await applyNewThreshold(trx, env, id);
  });
}

/** What was spent until a trunk that had reached its threshold was opened by hand does not count against it again. */
const unblocked = ({ threshold_reached }: { threshold_reached: boolean }, now: Date) => ({
  threshold_reached: false,
  ...(threshold_reached ? { threshold_from: now } : {}),
});

/** Deletes the trunk and ends its calls at once; the numbers linked to it are kept. */
export async function deleteVoiceOutTrunk(context: PlatformContext, id: string): Promise<void> {
  await context.env.db
    .deleteFrom('voice_out_trunks')
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
  await endCallsOfTrunks(context.env, [id]);
}

type NewTrunk = CreateInput<typeof voiceOutTrunkMembers>;
type TrunkChange = UpdateInput<typeof voiceOutTrunkMembers>;

/** Refuses encrypted media while the operator has it switched off for the account. */
function requireTls(context: PlatformContext, { attributes }: NewTrunk | TrunkChange): void {
  const { media_encryption_mode: mode = 'disabled' } = attributes;
  if (mode !== 'disabled' && !callerOf(context).features.tls) refuse(featureMissing('tls'));
}

interface Authentication {
  type: AuthenticationType;
  attributes: Row;
}

/** The method to store; the engine has refused the ones that only the operator sets. */
function newAuthentication(sent: TypedObject, stored: Authentication | null): Authentication {
  const { type, attributes } = wholeObject(authenticationMethod, sent, stored);
  if (type === 'twilio' || type === 'credentials_and_ip') return { type, attributes };
  return refuse(invalid.attribute('authentication_method', messages.invalid));
}

/** The plain columns of what was sent. */
function trunkColumns({ attributes }: NewTrunk | TrunkChange): Row {
  const { authentication_method: _apart, ...columns } = attributes;
  const prefixes = columns.dst_prefixes;
  return { ...columns, ...(Array.isArray(prefixes) ? { dst_prefixes: [...new Set(prefixes)] } : {}) };
}

const linkTables = { dids: 'voice_out_trunk_dids', emergency_dids: 'voice_out_trunk_emergency_dids' } as const;

/** Links a trunk to numbers and takes links away; the caller holds the lock of the trunk's row. */
async function changeLinks(
  trx: Kysely<Schema>,
  relationship: keyof typeof linkTables,
  trunkId: string,
  sent: ToManyInput,
): Promise<void> {
  const table = linkTables[relationship];
  const { joining, leaving } = membershipChange(sent);
  const ids = [...new Set(joining)];
  const links = trx.deleteFrom(table).where('voice_out_trunk_id', '=', trunkId);
  await (leaving === 'others' ? links : links.where(sql<boolean>`did_id = any(${leaving}::uuid[])`)).execute();
  if (ids.length === 0) return;
  const numbers = await trx
    .selectFrom('dids')
    .select(['id', 'awaiting_registration', 'emergency_enabled'])
    .where('id', 'in', ids)
    .orderBy('number')
    .execute();
  throwAny(
    numbers.flatMap((number) => {
      const message = refusedLink(relationship, number);
      return message === null ? [] : [invalid.member(relationship, number.id, message)];
    }),
  );
  await trx
    .insertInto(table)
    .values(ids.map((id) => ({ voice_out_trunk_id: trunkId, did_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A number that waits for its registration cannot be linked; emergency calls need one that is enabled for them. */
function refusedLink(
  relationship: keyof typeof linkTables,
  number: { awaiting_registration: boolean; emergency_enabled: boolean },
): string | null {
  if (number.awaiting_registration) return messages.invalid;
  return relationship === 'emergency_dids' && !number.emergency_enabled ? 'is not enabled for emergency calling' : null;
}
