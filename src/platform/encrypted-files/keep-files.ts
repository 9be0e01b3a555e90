/** Attaches uploaded files to the record that uses them. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import { callerOf, type PlatformContext } from '../context.ts';

export type Holder = { proof_id: string } | { document_id: string } | { address_verification_id: string };

/**
 * Attaches uploaded files to a proof, document or submission, which keeps their bytes after the upload expires. Treats
 * expired files and files of another account as unknown.
 */
export async function keepFiles(
  trx: Kysely<Schema>,
  context: PlatformContext,
  relationship: string,
  links: readonly Linkage[],
  holder: Holder,
): Promise<void> {
  const ids = links.map(({ id }) => id);
  if (new Set(ids).size < ids.length) refuse(invalid.relationship(relationship, messages.invalid));
  if (ids.length === 0) return;
  // Locked, so that the expiry job does not delete them before they are attached.
  const files = await trx
    .selectFrom('encrypted_files')
    .select(['id', 'stored_file_id'])
    .where('id', 'in', ids)
    .where('account_id', '=', callerOf(context).accountId)
    .where('expires_at', '>', context.now)
    .forShare()
    .execute();
  if (files.length < ids.length) refuse(invalid.relationship(relationship, messages.invalid));
  await trx
    .insertInto('kept_files')
    .values(
      files.map((file) => ({
        stored_file_id: file.stored_file_id,
        proof_id: null,
        document_id: null,
        address_verification_id: null,
        position: ids.indexOf(file.id),
        ...holder,
      })),
    )
    .execute();
}
