/** Opens the line to a supplier with its key, and says which implementation speaks with it. */
import type { Selectable } from 'kysely';
import type { SuppliersTable } from '../../engines/db/tables/suppliers.ts';
import type { Environment } from '../../engines/environment.ts';
import { unseal } from '../accounts/secret.ts';
import { chainOf } from './chain.ts';
import { SupplierLine } from './line.ts';
import type { Supplier } from './supplier.ts';
import { v3Supplier } from './v3/v3-supplier.ts';

/** Separates the sealed keys from other secrets. */
export const supplierKeyPurpose = 'supplier key';

export type SupplierRow = Selectable<SuppliersTable>;

type Opening = Pick<Environment, 'db' | 'clock' | 'log' | 'outbound' | 'serverKey'>;

/** Another kind of supplier is another implementation, chosen here. */
export async function openSupplier(env: Opening, id: string): Promise<Supplier> {
  const row = await env.db.selectFrom('suppliers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return v3Supplier({
    line: new SupplierLine(env, row),
    apiKey: unseal(env.serverKey, supplierKeyPurpose, row.sealed_api_key),
    chain: await chainOf(env),
  });
}
