/**
 * Who buys from whom, so that no chain of installations ends where it begins: each request to a supplier names the
 * installations that it is for, ourselves first, and the supplier remembers them with the account. Somebody whose own
 * name is in it refuses the request; nobody becomes a supplier who is known to buy from us.
 */
import type { Environment } from '../../engines/environment.ts';

/** Longer chains are cut: nobody sells over so many hands. */
const longestChain = 50;

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
