/** Applies seeds: a bootstrap file's, or those of one request, which change nothing if one of them is refused. */

import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { updateAccount } from '../../business/accounts/accounts.ts';
import { loadDemoCatalogue } from '../../business/catalogue/load-demo.ts';
import { parseAmount, toSql } from '../../business/money/decimal.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { byBootstrap } from '../operator/act.ts';
import { adjustBalance } from '../operator/adjustments.ts';
import { ensureAccount } from './ensure-account.ts';
import type { Seed, SeedAccount } from './parse-seed.ts';
import { SeedIds } from './seed-id.ts';
import { refuseLargeSeed, SeedBudget } from './seed-limits.ts';
import { seedOwnedNumber } from './seed-owned-numbers.ts';
import { seedCall, seedVerification } from './seed-records.ts';
import { SeedStock } from './seed-stock.ts';
import type { AccountSeeds, NumberSeed, StockSeed } from './seeds.ts';

/** What there is now, with the ids that a test goes on with. */
interface Seeded {
  numbers: SeededStock[];
  accounts: SeededAccount[];
}

interface SeededStock {
  did_group_id: string;
  stock_keeping_unit_id: string;
  numbers: string[];
}

interface SeededAccount extends SeededRecords {
  id: string;
  name: string;
}

interface SeededRecords {
  numbers: { id: string; number: string }[];
  calls: string[];
  verifications: string[];
}

/** An account without a balance of its own begins with as much as one of a bootstrap file. */
const openingBalance = '1000.00';

/**
 * `callerId` is the account that asks: of the accounts that exist it may seed itself only, since a seed can add API
 * keys. The demo catalogue is loaded first, and stays.
 */
export async function applySeed(env: Environment, seed: Seed, callerId: string): Promise<Seeded> {
  refuseLargeSeed(seed);
  if (seed.catalogue === 'demo') await loadDemoCatalogue(env);
  return inTransaction(env.db, async (trx) => {
    const budget = await SeedBudget.open(trx, callerId, env.seedLimits);
    const seeder = new Seeder({ ...env, db: trx }, seed, budget);
    const seeded: Seeded = { numbers: [], accounts: [] };
    for (const [index, stock] of (seed.numbers ?? []).entries()) {
      seeded.numbers.push(await seeder.stock(stock, `numbers[${index}]`));
    }
    for (const [index, account] of seed.accounts.entries()) {
      seeded.accounts.push(
        await applyAccount({ ...env, db: trx }, seeder, budget, account, callerId, `accounts[${index}]`),
      );
    }
    await budget.close();
    return seeded;
  });
}

async function applyAccount(
  env: Environment,
  seeder: Seeder,
  budget: SeedBudget,
  account: SeedAccount,
  callerId: string,
  path: string,
): Promise<SeededAccount> {
  const name = account.name.trim();
  const known = await env.db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
  if (known !== undefined && known.id !== callerId) {
    throw new OperatorError(`${path}.name is that of another account, which is not yours to change.`);
  }
  const wanted = { ...account, balance: account.balance ?? openingBalance };
  const { id, isNew, made } = await ensureAccount(env, wanted, path);
  if (isNew) await budget.madeAccount(id);
  budget.made('records', made);
  if (!isNew && account.balance !== null) await setBalance(env, id, account.balance);
  if (!isNew) await setReceivers(env, id, account);
  return { id, name, ...(await seeder.account(id, account, path)) };
}

/** Where call events go, and what callbacks are signed with; what the seed does not name stays. */
async function setReceivers(env: Environment, accountId: string, account: SeedAccount): Promise<void> {
  const { call_events: callEvents, callback_secret: callbackSecret } = account;
  if (callEvents === null && callbackSecret === null) return;
  await updateAccount(env, accountId, {
    ...(callEvents === null ? {} : { callEvents }),
    ...(callbackSecret === null ? {} : { callbackSecret }),
  });
}

async function setBalance(env: Environment, accountId: string, wanted: string): Promise<void> {
  const account = await env.db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const difference = parseAmount(wanted) - parseAmount(account.balance);
  if (difference === 0n) return;
  const kind = difference > 0n ? 'credit' : 'debit';
  const amount = toSql(difference > 0n ? difference : -difference);
  await adjustBalance(byBootstrap(env), accountId, { kind, amount, reason: 'seed' });
}

/** Seeds in which numbers stand, among others. */
interface NumberSeeds {
  numbers?: readonly NumberSeed[] | undefined;
  accounts: readonly { numbers?: readonly NumberSeed[] | undefined }[];
}

/** Within one transaction, which is `env.db`. `path` is where the seed stands, for errors. */
export class Seeder {
  readonly #env: Environment;
  /** Called for each record that did not exist. */
  readonly #made: () => void;
  readonly #all: NumberSeeds;
  #stock: Promise<SeedStock> | null = null;

  /** `all` that will be seeded. Without a budget there is no limit: the bootstrap file is the operator's. */
  constructor(env: Environment, all: NumberSeeds, budget?: SeedBudget) {
    this.#env = env;
    this.#all = all;
    this.#made = () => budget?.made('records');
  }

  stock(seed: StockSeed, path: string): Promise<SeededStock> {
    return naming(path, async () => {
      const { group, numbers } = await (await this.#opened()).stock(seed);
      return { did_group_id: group.id, stock_keeping_unit_id: group.skuId, numbers };
    });
  }

  async account(accountId: string, seeds: AccountSeeds, path: string): Promise<SeededRecords> {
    const env = this.#env;
    const ids = new SeedIds(accountId);
    const seeded: SeededRecords = { numbers: [], calls: [], verifications: [] };
    for (const [index, seed] of (seeds.numbers ?? []).entries()) {
      const own = async () => seedOwnedNumber(env, await this.#opened(), ids, accountId, seed, this.#made);
      seeded.numbers.push(await naming(`${path}.numbers[${index}]`, own));
    }
    for (const [index, seed] of (seeds.calls ?? []).entries()) {
      seeded.calls.push(await naming(`${path}.calls[${index}]`, () => seedCall(env, ids, accountId, seed, this.#made)));
    }
    for (const [index, seed] of (seeds.verifications ?? []).entries()) {
      const verify = () => seedVerification(env, ids, accountId, seed, this.#made);
      seeded.verifications.push(await naming(`${path}.verifications[${index}]`, verify));
    }
    return seeded;
  }

  /** The catalogue is read when the first number asks for it. */
  #opened(): Promise<SeedStock> {
    this.#stock ??= SeedStock.open(this.#env.db, countriesIn(this.#all), this.#made);
    return this.#stock;
  }
}

function countriesIn({ numbers = [], accounts }: NumberSeeds): string[] {
  const seeds = [...numbers, ...accounts.flatMap((account) => account.numbers ?? [])];
  return [...new Set(seeds.map(({ country }) => country))];
}

async function naming<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new OperatorError(`${path}${error.path === '' ? '' : `.${error.path}`} ${error.message}.`);
  }
}
