import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { AuthenticationType } from '../../db/tables/voice.ts';
import { invalid, messages, refuse, throwAny } from '../../jsonapi/errors.ts';
import { type Linkage, membershipChange, type ToManyInput } from '../../jsonapi/linkage.ts';
import { type TypedObject, wholeObject } from '../../jsonapi/parse-object.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import type { Row } from '../../jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { featureMissing } from '../refusals.ts';
import { authenticationMethod } from './authentication.ts';

export type OutTrunkInput = WriteInput<
  Row & { authentication_method?: TypedObject },
  { dids?: ToManyInput; emergency_dids?: ToManyInput; default_did?: Linkage | null }
>;

/** Refuses encrypted media while the operator has it switched off for the account. */
export function requireTls(context: PlatformContext, { attributes }: OutTrunkInput): void {
  const { media_encryption_mode: mode = 'disabled' } = attributes;
  if (mode !== 'disabled' && !callerOf(context).features.tls) refuse(featureMissing('tls'));
}

export interface Authentication {
  type: AuthenticationType;
  attributes: Row;
}

/** The method to store; the engine has refused the ones that only the operator sets. */
export function newAuthentication(sent: TypedObject, stored: Authentication | null): Authentication {
  const { type, attributes } = wholeObject(authenticationMethod, sent, stored);
  if (type === 'twilio' || type === 'credentials_and_ip') return { type, attributes };
  return refuse(invalid.attribute('authentication_method', messages.invalid));
}

/** The plain columns of what was sent. */
export function trunkColumns({ attributes }: OutTrunkInput): Row {
  const { authentication_method: _apart, ...columns } = attributes;
  const prefixes = columns.dst_prefixes;
  return { ...columns, ...(Array.isArray(prefixes) ? { dst_prefixes: [...new Set(prefixes)] } : {}) };
}

const LINK_TABLES = { dids: 'voice_out_trunk_dids', emergency_dids: 'voice_out_trunk_emergency_dids' } as const;

/** Links a trunk to numbers and takes links away; the caller holds the lock of the trunk's row. */
export async function changeLinks(
  trx: Kysely<Schema>,
  relationship: keyof typeof LINK_TABLES,
  trunkId: string,
  sent: ToManyInput,
): Promise<void> {
  const table = LINK_TABLES[relationship];
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
  relationship: keyof typeof LINK_TABLES,
  number: { awaiting_registration: boolean; emergency_enabled: boolean },
): string | null {
  if (number.awaiting_registration) return messages.invalid;
  return relationship === 'emergency_dids' && !number.emergency_enabled ? 'is not enabled for emergency calling' : null;
}
