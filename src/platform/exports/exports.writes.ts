/** Creates exports. */
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { throwAny } from '../../jsonapi/errors.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import type { Row } from '../../jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { windowFormOf } from '../versions/2026-04-16.forms.ts';
import { type ExportType, storedFilters, unknownKeys, windowProblems } from './export-window.ts';
import { makeExportTask } from './make-export.ts';

type ExportAttributes = {
  export_type: ExportType;
  filters: Row;
  callback_url?: string | null;
  callback_method?: 'get' | 'post' | null;
  external_reference_id?: string | null;
};

/** Stores the export as pending; a job writes its file. */
export async function createExport(
  context: PlatformContext,
  input: WriteInput<ExportAttributes>,
  answer: AnswerNow,
): Promise<string> {
  const { env } = context;
  const { export_type, callback_url = null, callback_method = null, external_reference_id = null } = input.attributes;
  const form = windowFormOf(context.apiVersion);
  const filters = withoutNulls(input.attributes.filters);
  throwAny(unknownKeys(form, export_type, filters));
  throwAny(windowProblems(form, export_type, filters, context.now));
  const { accountId, signingKey } = callerOf(context);
  return inTransaction(env.db, async (trx) => {
    const { id } = await trx
      .insertInto('exports')
      .values({
        account_id: accountId,
        export_type,
        filters: JSON.stringify(storedFilters(form, filters)),
        callback_url,
        callback_method,
        sealed_signing_key: callback_url === null ? null : sealSigningKey(env, signingKey),
        base_url: context.baseUrl,
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

/** An optional filter that is null counts as absent. */
const withoutNulls = (filters: Row): Row =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null));
