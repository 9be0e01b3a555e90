/**
 * How much an account may make with seeds: records of one request, and what it makes in a day of the machine's clock,
 * since the sandbox's own clock is moved by those who are limited. An account that a seed made counts for the one that
 * made it.
 */
import { type Kysely, sql } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { SeedLimits } from '../../engines/environment.ts';
import type { Seed } from './parse-seed.ts';

/** Of one request, wherever it comes from. */
const mostRecords = 10_000;

type Counts = Record<keyof SeedLimits, number>;

/** The account has made as much today as it may; nothing of the seed was kept. */
export class SeedLimitReached extends OperatorError {}

/** Throws if the seed names more than one request may make: also what exists already is looked at, one by one. */
export function refuseLargeSeed({ numbers = [], accounts }: Seed): void {
  const named =
    numbers.reduce((sum, { count }) => sum + count, 0) +
    accounts.reduce((sum, account) => sum + 1 + Object.values(account).flatMap(listed).length, 0);
  if (named > mostRecords) {
    throw new OperatorError(`One request may name at most ${mostRecords} records; these are ${named}.`);
  }
}

const listed = (member: unknown): readonly unknown[] => (Array.isArray(member) ? member : []);

/** What seeds of an account made today, in the transaction of one more of them. */
export class SeedBudget {
  readonly #trx: Kysely<Schema>;
  readonly #payerId: string;
  readonly #counts: Counts;
  readonly #limits: Partial<SeedLimits>;

  private constructor(trx: Kysely<Schema>, payerId: string, counts: Counts, limits: Partial<SeedLimits>) {
    this.#trx = trx;
    this.#payerId = payerId;
    this.#counts = counts;
    this.#limits = limits;
  }

  /** Seeds of the same account wait for each other from here on. */
  static async open(trx: Kysely<Schema>, accountId: string, limits: Partial<SeedLimits> = {}): Promise<SeedBudget> {
    const payer = await trx
      .selectFrom('seed_budgets')
      .select('payer_id')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    const payerId = payer?.payer_id ?? accountId;
    const { rows } = await sql<Counts>`
      insert into seed_budgets as b (account_id, payer_id) values (${payerId}, ${payerId})
      on conflict (account_id) do update set
        records = case when b.day = excluded.day then b.records else 0 end,
        accounts = case when b.day = excluded.day then b.accounts else 0 end,
        day = excluded.day
      returning records, accounts`.execute(trx);
    return new SeedBudget(trx, payerId, rows[0] ?? { records: 0, accounts: 0 }, limits);
  }

  made(kind: keyof Counts, count = 1): void {
    this.#counts[kind] += count;
    const limit = this.#limits[kind] ?? 0;
    if (limit !== 0 && this.#counts[kind] > limit) {
      throw new SeedLimitReached(`Seeds of an account make at most ${limit} ${kind} a day.`);
    }
  }

  async madeAccount(id: string): Promise<void> {
    this.made('accounts');
    await this.#trx.insertInto('seed_budgets').values({ account_id: id, payer_id: this.#payerId }).execute();
  }

  async close(): Promise<void> {
    await this.#trx.updateTable('seed_budgets').set(this.#counts).where('account_id', '=', this.#payerId).execute();
  }
}
