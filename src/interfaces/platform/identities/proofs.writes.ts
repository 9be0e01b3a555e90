/** Creates and deletes proofs. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { Linkage } from '../../../engines/jsonapi/linkage.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { refuseUnderReview } from './paperwork-in-use.ts';
import type { proofMembers } from './proofs.members.ts';
import { keepFiles } from './stored-files.ts';

type ProofInput = CreateInput<typeof proofMembers>;

const dayMs = 86_400_000;

/** The entity must be of the kind that the proof type can prove: a person, a company or an address. */
export async function createProof(context: PlatformContext, input: ProofInput): Promise<string> {
  const { proof_type: type, entity, files } = input.relationships;
  const { accountId } = callerOf(context);
  return inTransaction(context.db, async (trx) => {
    const proofType = await trx
      .selectFrom('proof_types')
      .select(['entity_type', 'valid_days'])
      .where('id', '=', type.id)
      .executeTakeFirstOrThrow();
    if (proofType.entity_type !== (await kindOf(trx, entity))) refuse(invalid.relationship('entity', messages.invalid));
    const { id } = await trx
      .insertInto('proofs')
      .values({
        account_id: accountId,
        proof_type_id: type.id,
        identity_id: entity.type === 'identities' ? entity.id : null,
        address_id: entity.type === 'addresses' ? entity.id : null,
        external_reference_id: input.attributes.external_reference_id ?? null,
        created_at: context.now,
        expires_at:
          proofType.valid_days === null ? null : new Date(context.now.getTime() + proofType.valid_days * dayMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await keepFiles(trx, context, 'files', files, { proof_id: id });
    return id;
  });
}

/** Returns the kind of the entity, or null if it is gone. Locks it until the proof is stored. */
async function kindOf(trx: Kysely<Schema>, entity: Linkage): Promise<'Personal' | 'Business' | 'Address' | null> {
  if (entity.type === 'addresses') {
    const found = await trx.selectFrom('addresses').select('id').where('id', '=', entity.id).forShare().execute();
    return found.length > 0 ? 'Address' : null;
  }
  const identity = await trx
    .selectFrom('identities')
    .select('identity_type')
    .where('id', '=', entity.id)
    .forShare()
    .executeTakeFirst();
  if (!identity) return null;
  return identity.identity_type === 'business' ? 'Business' : 'Personal';
}

/** Deletes a proof; the database deletes its files with it (foreign key and trigger). */
export async function deleteProof(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    const proof = await trx
      .selectFrom('proofs')
      .select(['identity_id', 'address_id'])
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .executeTakeFirst();
    if (!proof) return;
    await refuseUnderReview(trx, { identityId: proof.identity_id, addressId: proof.address_id });
    await trx.deleteFrom('proofs').where('id', '=', id).execute();
  });
}
