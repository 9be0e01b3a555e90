/**
 * Runs the same statement for several callers at once: one round trip and one commit for all that came while the runs
 * before were under way. A caller that comes alone is not delayed. Each gets the result of a run that began after its
 * call. Nothing is done for a client that has gone before its run began, as while it waits for a connection of its own.
 */
import { ClientGone, isUnavailable } from './unavailable.ts';
import { ClientPresence, currentWork, type Lane, outsideRequests, runAsWork } from './work.ts';

/** Runs at a time: while one waits for a lock or the disk, the others go on. With fewer, more callers share a run. */
const usualRuns = 3;
/** Callers that share one run. */
const mostTogether = 50;

interface Caller<Item, Result> {
  item: Item;
  /** Null for jobs and commands. */
  client: ClientPresence | null;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** `run` returns one result for each item, in their order. */
type RunTogether<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

export function grouped<Item, Result>(
  run: RunTogether<Item, Result>,
  mostRuns = usualRuns,
): (item: Item) => Promise<Result> {
  const waiting: Caller<Item, Result>[] = [];
  let runs = 0;
  let isPlanned = false;

  const start = (): void => {
    isPlanned = false;
    while (runs < mostRuns && waiting.length > 0) {
      const callers = stillThere(waiting.splice(0, mostTogether));
      if (callers.length === 0) continue;
      runs++;
      void runFor(run, callers).finally(() => {
        runs--;
        start();
      });
    }
  };

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, client: currentWork()?.client ?? null, resolve, reject });
      if (isPlanned || runs >= mostRuns) return;
      isPlanned = true;
      // After the messages that arrived together have been read. A run serves many, so it belongs to nobody's request.
      outsideRequests(() => setImmediate(start));
    });
}

function stillThere<Item, Result>(callers: Caller<Item, Result>[]): Caller<Item, Result>[] {
  for (const { client, reject } of callers) if (client?.isGone) reject(new ClientGone('the client has gone'));
  return callers.filter(({ client }) => !client?.isGone);
}

/** Never rejects. An error that is the fault of one item must not fail the others, so each is then tried by itself. */
async function runFor<Item, Result>(run: RunTogether<Item, Result>, callers: Caller<Item, Result>[]): Promise<void> {
  try {
    const results = await run(callers.map(({ item }) => item));
    if (results.length !== callers.length) throw new Error('a grouped statement returns one result for each item');
    for (const [index, { resolve }] of callers.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (callers.length > 1 && !isUnavailable(error)) {
      for (const caller of callers) await runFor(run, [caller]);
    } else {
      for (const { reject } of callers) reject(error);
    }
  }
}

/** The same for every pool: what is grouped goes to one database. */
export function groupedByPool<Pool extends object, Item, Result>(
  run: (pool: Pool, items: readonly Item[]) => Promise<readonly Result[]>,
  mostRuns = usualRuns,
): (pool: Pool, item: Item) => Promise<Result> {
  const groups = new WeakMap<Pool, (item: Item) => Promise<Result>>();
  return (pool, item) => {
    const known = groups.get(pool) ?? grouped((items: readonly Item[]) => run(pool, items), mostRuns);
    groups.set(pool, known);
    return known(item);
  };
}

interface Group<Item, Result> {
  add(item: Item): Promise<Result>;
  /** It is forgotten when there is none. */
  callers: number;
}

/**
 * The same for each account apart: no customer waits for rows that another's transaction holds. A run for requests
 * (`lane`) takes a connection of the account's share, as each of them would; one for jobs (`null`) as jobs do.
 */
export function groupedByAccount<Pool extends object, Item, Result>(
  lane: Lane | null,
  accountOf: (item: Item) => string,
  run: (pool: Pool, items: readonly Item[]) => Promise<readonly Result[]>,
  mostRuns = usualRuns,
): (pool: Pool, item: Item) => Promise<Result> {
  const pools = new WeakMap<Pool, Map<string, Group<Item, Result>>>();
  return async (pool, item) => {
    const accountId = accountOf(item);
    const groups = pools.get(pool) ?? new Map<string, Group<Item, Result>>();
    pools.set(pool, groups);
    const group = groups.get(accountId) ?? {
      add: grouped((items: readonly Item[]) => asAccount(lane, accountId, () => run(pool, items)), mostRuns),
      callers: 0,
    };
    groups.set(accountId, group);
    group.callers += 1;
    try {
      return await group.add(item);
    } finally {
      group.callers -= 1;
      if (group.callers === 0) groups.delete(accountId);
    }
  };
}

function asAccount<T>(lane: Lane | null, accountId: string, action: () => T): T {
  if (lane === null) return action();
  return runAsWork({ lane, client: new ClientPresence(), reads: false, accountId, waitedMs: 0, ended: false }, action);
}
