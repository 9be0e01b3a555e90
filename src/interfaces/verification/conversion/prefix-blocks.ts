/** The decisions about prefixes that are in force, kept in memory: a start asks without a query. */
import { keepUntilChanged } from '../../../engines/db/kept.ts';
import type { Environment } from '../../../engines/environment.ts';

interface Decision {
  accountId: string | null;
  mode: 'block' | 'safe';
  until: Date | null;
}

export interface PrefixBlocks {
  /** Whether a start of this account for this number is refused now; a safe prefix of any length wins. */
  refuses(destination: string, accountId: string, now: Date): boolean;
}

export function createPrefixBlocksReader(env: Environment): () => Promise<PrefixBlocks> {
  const kept = keepUntilChanged<PrefixBlocks>(env.changes, { outdatedBy: { prefix_blocks: () => true } });
  return () => kept.read('blocks', () => readPrefixBlocks(env));
}

async function readPrefixBlocks({ db }: Environment): Promise<PrefixBlocks> {
  const rows = await db
    .selectFrom('prefix_blocks')
    .select(['prefix', 'account_id as accountId', 'mode', 'until'])
    .where('lifted_at', 'is', null)
    .where('mode', '<>', 'monitor')
    .execute();
  const byPrefix = new Map<string, Decision[]>();
  for (const { prefix, accountId, mode, until } of rows) {
    const decision: Decision = { accountId, mode: mode === 'safe' ? 'safe' : 'block', until };
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), decision]);
  }
  const lengths = [...new Set(rows.map(({ prefix }) => prefix.length))];
  return {
    refuses: (destination, accountId, now) => {
      const decisions = lengths
        .flatMap((length) => byPrefix.get(destination.slice(0, length)) ?? [])
        .filter((each) => each.accountId === null || each.accountId === accountId)
        .filter(({ until }) => until === null || until > now);
      return decisions.length > 0 && decisions.every(({ mode }) => mode === 'block');
    },
  };
}
