/** Creates what a bootstrap file names: catalogue, carriers, accounts, operators, seeds. What exists stays. */
import { sql } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { hashKey } from '../../business/accounts/api-keys.ts';
import { loadDemoCatalogue } from '../../business/catalogue/load-demo.ts';
import { createCarrier } from '../../business/voice/carriers/carriers.ts';
import { locks } from '../../engines/db/locks.ts';
import { connectSession } from '../../engines/db/pool.ts';
import { withoutTimeouts } from '../../engines/db/timeouts.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator, createOperatorKey } from '../operator/operators.writes.ts';
import { ensureAccount } from './ensure-account.ts';
import type { BootstrapCarrier, BootstrapOperator, BootstrapSection } from './parse.ts';
import { Seeder } from './seed.ts';

/** Processes that start at the same time run this one after another. If something cannot be made, nothing is. */
export async function applyBootstrap(env: Environment, section: BootstrapSection): Promise<void> {
  const guard = await connectSession(env.pool);
  try {
    await withoutTimeouts(guard, () => guard.query('select pg_advisory_lock($1)', [locks.bootstrap]));
    try {
      if (section.catalogue === 'demo') await loadDemoCatalogue(env);
      await inTransaction(env.db, (trx) => applySection({ ...env, db: trx }, section));
    } finally {
      await guard.query('select pg_advisory_unlock($1)', [locks.bootstrap]);
    }
  } finally {
    guard.release();
  }
}

async function applySection(env: Environment, section: BootstrapSection): Promise<void> {
  const path = `The bootstrap file's ${env.name}`;
  for (const carrier of section.carriers) await ensureCarrier(env, carrier);
  const seeder = new Seeder(env, section);
  for (const [index, seed] of (section.numbers ?? []).entries()) await seeder.stock(seed, `${path}.numbers[${index}]`);
  for (const [index, account] of section.accounts.entries()) {
    const place = `${path}.accounts[${index}]`;
    const { id } = await ensureAccount(env, account, place);
    await seeder.account(id, account, place);
  }
  for (const [index, operator] of section.operators.entries()) {
    await ensureOperator(env, operator, `${path}.operators[${index}]`);
  }
}

/** A carrier is known by its name; what an operator has changed of it stays. */
async function ensureCarrier(env: Environment, wanted: BootstrapCarrier): Promise<void> {
  const found = await env.db.selectFrom('carriers').select('id').where('name', '=', wanted.name).executeTakeFirst();
  if (found === undefined) await createCarrier(env, wanted);
}

async function ensureOperator(env: Environment, wanted: BootstrapOperator, path: string): Promise<void> {
  const found = await env.db
    .selectFrom('operators')
    .select('id')
    .where(sql<string>`lower(email)`, '=', wanted.email.toLowerCase())
    .executeTakeFirst();
  const id = found?.id ?? (await createOperator(byBootstrap(env), wanted));
  for (const [index, { name, key }] of wanted.api_keys.entries()) {
    const known = await env.db
      .selectFrom('operator_keys')
      .select('operator_id')
      .where('key_hash', '=', hashKey(key))
      .executeTakeFirst();
    if (known === undefined) await createOperatorKey(byBootstrap(env), id, { name, key });
    else if (known.operator_id !== id) {
      throw new OperatorError(`${path}.api_keys[${index}].key belongs to another operator already.`);
    }
  }
}
