/**
 * Looks at what suppliers have of groups before their stock is shown or sold. What was read counts for some seconds,
 * and everybody who asks meanwhile shares it; nobody waits for a slow supplier longer than a moment.
 */
import { setTimeout as pause } from 'node:timers/promises';
import QuickLRU from 'quick-lru';
import type { Environment } from '../../../engines/environment.ts';
import { openSupplier } from '../open-supplier.ts';
import { mirrorNumbers } from './mirror-numbers.ts';
import { planSweep } from './sweep.ts';

/** A group of ours, as a supplier sells it. */
export interface SoldGroup {
  readonly id: string;
  readonly supplier_id: string;
  readonly did_group_id: string;
  readonly their_id: string;
}

interface Look {
  /** By the environment's clock. */
  readonly at: number;
  readonly done: Promise<void>;
}

/** What a process remembers of its looks. */
export class StockLooks {
  readonly looks = new QuickLRU<string, Look>({ maxSize: 10_000 });
  /** When it was seen last that no supplier is active, by the machine's clock. */
  noneAt: number | undefined;
}

export interface WithStockLooks {
  readonly stockLooks: StockLooks;
}

interface Wanted {
  /** Digits anywhere in the number. */
  readonly digits?: string;
  /** So many numbers of each group, as far as it has them. */
  readonly atLeast: number;
}

const freshMs = 10_000;
const patienceMs = 2_000;
const pageSize = 100;
/** Of one group and one search; an order for more gets the rest from what is not shown. */
const mostPages = 10;

/** Returns when the groups were read, or after a moment. */
export async function lookAtGroups(
  env: Environment & WithStockLooks,
  groups: readonly SoldGroup[],
  wanted: Wanted,
): Promise<void> {
  if (groups.length === 0) return;
  const all = Promise.all(groups.map((group) => look(env, group, wanted)));
  const given = new AbortController();
  await Promise.race([all, pause(patienceMs, undefined, { signal: given.signal }).catch(() => undefined)]);
  given.abort();
}

function look(env: Environment & WithStockLooks, group: SoldGroup, wanted: Wanted): Promise<void> {
  const { looks } = env.stockLooks;
  const pages = Math.min(mostPages, Math.max(1, Math.ceil(wanted.atLeast / pageSize)));
  const key = `${group.id} ${wanted.digits ?? ''} ${pages}`;
  const now = env.clock.now().getTime();
  const known = looks.get(key);
  if (known !== undefined && now - known.at < freshMs) return known.done;
  const done = read(env, group, { ...wanted, pages }).catch((error) => {
    env.log.error({ err: error, group: group.id }, 'the stock of a supplier could not be read');
  });
  looks.set(key, { at: now, done });
  return done;
}

async function read(
  env: Environment,
  { id, supplier_id, did_group_id, their_id }: SoldGroup,
  { digits, pages }: { digits?: string; pages: number },
): Promise<void> {
  const supplier = await openSupplier(env, supplier_id);
  const wanted = { groupId: their_id, ...(digits === undefined ? {} : { contains: digits }) };
  const numbers = [];
  let total = 0;
  for (let number = 1; number <= pages; number++) {
    const page = await supplier.availableNumbers(wanted, { number, size: pageSize });
    // What is shown stays so for a while; the breaker decides when they are asked again.
    if (page.kind !== 'done') return;
    numbers.push(...page.value.items);
    total = page.value.total;
    if (page.value.items.length < pageSize) break;
  }
  const now = env.clock.now();
  await mirrorNumbers(env.db, {
    groupId: did_group_id,
    supplierGroupId: id,
    numbers,
    total: digits === undefined ? total : null,
    now,
  });
  if (numbers.length > 0) await planSweep(env, now);
}
