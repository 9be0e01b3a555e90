/** Creates exports. */
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { throwAny } from '../../../engines/jsonapi/errors.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callbackColumns } from '../callback-columns.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { windowFormOf } from '../versions/forms.ts';
import { storedFilters, unknownKeys, windowProblems } from './export-window.ts';
import type { exportMembers } from './exports.members.ts';
import { makeExportTask } from './make-export.ts';

/** Stores the export as pending; a job writes its file. */
export async function createExport(
  context: PlatformContext,
  input: CreateInput<typeof exportMembers>,
  answer: AnswerNow,
): Promise<string> {
  const { env } = context;
  const { export_type, external_reference_id = null } = input.attributes;
  const form = windowFormOf(context.apiVersion);
  const { filters } = input.attributes;
  throwAny(unknownKeys(form, export_type, filters));
  throwAny(windowProblems(form, export_type, filters, context.now));
  const { accountId } = callerOf(context);
  return inTransaction(context.db, async (trx) => {
    const { id } = await trx
      .insertInto('exports')
      .values({
        account_id: accountId,
        export_type,
        filters: JSON.stringify(storedFilters(form, filters)),
        ...callbackColumns(context, input.attributes),
        base_url: context.baseUrl,
        api_version: context.apiVersion,
        external_reference_id,
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await env.jobs.add(trx, makeExportTask, { export_id: id });
    // Read in this transaction, so that the response says pending even if another process writes the file at once.
    await answer(id, runIn(trx));
    return id;
  });
}
