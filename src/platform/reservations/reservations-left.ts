import { callerOf, type PlatformContext } from '../context.ts';

/** How many holds the account may still take. */
export async function reservationsLeft(context: PlatformContext): Promise<number> {
  const { accountId, limits } = callerOf(context);
  const [row] = await context.query(
    'select count(*)::int as held from did_reservations where account_id = $1 and expires_at > $2',
    [accountId, context.now],
  );
  return Math.max(0, limits.reservations - Number(row?.held));
}
