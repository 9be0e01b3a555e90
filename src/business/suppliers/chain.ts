/**
 * Who buys from whom, so that no chain of installations ends where it begins: each request to a supplier names the
 * installations that it is for, ourselves first, and the supplier remembers them with the account. Somebody whose own
 * name is in it refuses the request, so nobody becomes our supplier who buys from us.
 */
import { sql } from 'kysely';
import { isUuid } from '../../base/uuid.ts';
import type { Environment } from '../../engines/environment.ts';

/** Names the chain in requests. */
export const chainHeader = 'x-supply-chain';

/** Longer chains are cut: nobody sells over so many hands. An account cannot name more buyers than that either. */
const longestChain = 50;
const notedAgainMs = 3_600_000;

type Known = Pick<Environment, 'db'>;

async function ownInstallation({ db }: Known): Promise<string> {
  const { installation } = await db.selectFrom('environment_state').select('installation').executeTakeFirstOrThrow();
  return installation;
}

/** Ourselves, then those that buy from us, the latest first. */
export async function chainOf(env: Known): Promise<string[]> {
  const buyers = await env.db
    .selectFrom('supply_buyers')
    .select('installation')
    .groupBy('installation')
    .orderBy((eb) => eb.fn.max('seen_at'), 'desc')
    .limit(longestChain - 1)
    .execute();
  return [await ownInstallation(env), ...buyers.map(({ installation }) => installation)];
}

/** Of a server: heeds the chains that requests name. */
export class ChainWatch {
  readonly #env: Pick<Environment, 'db' | 'clock'>;
  /** Account and chain → when it was noted last. */
  readonly #noted = new Map<string, number>();
  #own: Promise<string> | undefined;

  constructor(env: Pick<Environment, 'db' | 'clock'>) {
    this.#env = env;
  }

  /** Our own name, read once. */
  #ownName(): Promise<string> {
    this.#own ??= ownInstallation(this.#env).catch((error: unknown) => {
      this.#own = undefined;
      throw error;
    });
    return this.#own;
  }

  /** False if what is asked for would come back to ourselves. */
  async admits(accountId: string, header: string): Promise<boolean> {
    const chain = header
      .split(',', longestChain)
      .map((name) => name.trim().toLowerCase())
      .filter(isUuid);
    if (chain.includes(await this.#ownName())) return false;
    await this.#note(accountId, chain);
    return true;
  }

  async #note(accountId: string, chain: readonly string[]): Promise<void> {
    const now = this.#env.clock.now();
    const key = `${accountId} ${chain.join()}`;
    if (chain.length === 0 || now.getTime() - (this.#noted.get(key) ?? 0) < notedAgainMs) return;
    await sql`
      insert into supply_buyers (account_id, installation, seen_at)
      select ${accountId}::uuid, i, ${now}::timestamptz from unnest(${chain}::uuid[]) i
      where exists (select from supply_buyers where account_id = ${accountId}::uuid and installation = i)
        or (select count(*) from supply_buyers where account_id = ${accountId}::uuid) + ${chain.length} <= ${longestChain}
      on conflict (account_id, installation) do update set seen_at = excluded.seen_at`.execute(this.#env.db);
    if (this.#noted.size > 10_000) this.#noted.clear();
    this.#noted.set(key, now.getTime());
  }
}
