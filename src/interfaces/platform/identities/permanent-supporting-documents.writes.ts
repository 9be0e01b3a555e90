/** Creates and deletes permanent supporting documents. */

import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { refuseUnderReview } from './paperwork-in-use.ts';
import type { documentMembers } from './permanent-supporting-documents.members.ts';
import { keepFiles } from './stored-files.ts';

type DocumentInput = CreateInput<typeof documentMembers>;

/** Replaces the identity's earlier document of the same template. */
export async function createDocument(
  context: PlatformContext,
  input: DocumentInput,
  answer: AnswerNow,
): Promise<string> {
  const { template, identity, files } = input.relationships;
  const { accountId } = callerOf(context);
  return inTransaction(context.db, async (trx) => {
    const { permanent } = await trx
      .selectFrom('supporting_document_templates')
      .select('permanent')
      .where('id', '=', template.id)
      .executeTakeFirstOrThrow();
    // A one-time document belongs to a verification, not to an identity.
    if (!permanent) refuse(invalid.relationship('template', messages.invalid));
    const found = await trx.selectFrom('identities').select('id').where('id', '=', identity.id).forUpdate().execute();
    if (found.length === 0) refuse(invalid.relationship('identity', messages.invalid));
    await trx
      .deleteFrom('permanent_supporting_documents')
      .where('identity_id', '=', identity.id)
      .where('template_id', '=', template.id)
      .execute();
    const { id } = await trx
      .insertInto('permanent_supporting_documents')
      .values({
        account_id: accountId,
        template_id: template.id,
        identity_id: identity.id,
        external_reference_id: input.attributes.external_reference_id ?? null,
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await keepFiles(trx, context, 'files', files, { document_id: id });
    // Another document of the same template may replace this one the next moment.
    await answer(id, runIn(trx));
    return id;
  });
}

/** Deletes a document; the database deletes its files with it (foreign key and trigger). */
export async function deleteDocument(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    const document = await trx
      .selectFrom('permanent_supporting_documents')
      .select('identity_id')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .executeTakeFirst();
    if (!document) return;
    await refuseUnderReview(trx, { identityId: document.identity_id, addressId: null });
    await trx.deleteFrom('permanent_supporting_documents').where('id', '=', id).execute();
  });
}
