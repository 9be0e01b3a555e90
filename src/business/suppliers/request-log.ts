/** The log of requests to suppliers: what was asked and answered in the last days, without keys and secrets. */
import type { Insertable } from 'kysely';
import type { SupplierRequestsTable } from '../../engines/db/tables/suppliers.ts';
import type { Environment } from '../../engines/environment.ts';

const longestText = 4_096;
const keptDays = 7;

export interface LoggedRequest
  extends Omit<Insertable<SupplierRequestsTable>, 'id' | 'supplier_id' | 'request' | 'answer'> {
  readonly request: string | null;
  readonly answer: string | null;
}

/** Not in the transaction of who asks: what was sent stays in the log if that is rolled back. */
export async function logRequest(
  { db }: Pick<Environment, 'db'>,
  supplierId: string,
  entry: LoggedRequest,
): Promise<void> {
  const { request, answer, ...rest } = entry;
  const row = { ...rest, supplier_id: supplierId, request: kept(request), answer: kept(answer) };
  await db.insertInto('supplier_requests').values(row).execute();
}

/** Secrets by the name of their member, whatever they are in; files and personal data are never sent through here. */
const secret = /("(?:[a-z_]*(?:password|secret|token|api_key|auth_key)[a-z_]*)"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;

function kept(text: string | null): string | null {
  if (text === null) return null;
  // PostgreSQL keeps no NUL.
  return text.slice(0, longestText).replaceAll('\0', '').replace(secret, '$1"[blanked]"').toWellFormed();
}

export async function forgetRequests({ db, clock }: Pick<Environment, 'db' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await db.deleteFrom('supplier_requests').where('at', '<', oldest).execute();
}
