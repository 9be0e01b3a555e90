/**
 * Adds many numbers to the stock in dense ranges, distributed over the groups whose numbers can be chosen individually.
 */
import { sql } from 'kysely';
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';
import { type BulkTransaction, inBulkTransaction } from './bulk-write.ts';
import { numberId } from './ids.ts';
import { dialPrefix, isNorthAmerican } from './rows.ts';

interface GenerateOptions {
  /** Runs in the transaction, after everything is stored. */
  record?: (db: BulkTransaction['db'], generated: Generated) => Promise<void>;
  onProgress?: (done: { numbers: number; of: number }) => void;
  /** Only these groups (ids), even if their numbers cannot be chosen individually. */
  groups?: readonly string[];
  /** Minimum per group; with few numbers some groups get none. */
  leastPerGroup?: number;
}

interface Generated {
  numbers: number;
  groups: number;
}

interface PlannedBlock extends Block {
  did_group_id: string;
  count: number;
}

const numbersPerInsert = 100_000;

/** Deterministic: the same database gets the same numbers, and a second run continues where the first ended. */
export async function generateNumbers(
  env: Environment,
  count: number,
  { onProgress, groups, leastPerGroup = 100, record }: GenerateOptions = {},
): Promise<Generated> {
  return inBulkTransaction(env, async (trx) => {
    const plan = planBlocks(count, leastPerGroup, await groupsToFill(trx, groups), await basesInUse(trx));
    let numbers = 0;
    for (const chunk of chunksOf(plan)) {
      await insertBlocks(trx, chunk);
      numbers += chunk.reduce((sum, block) => sum + block.count, 0);
      onProgress?.({ numbers, of: count });
    }
    const generated = { numbers, groups: new Set(plan.map((block) => block.did_group_id)).size };
    await record?.(trx.db, generated);
    return generated;
  });
}

async function groupsToFill({ db }: BulkTransaction, ids: readonly string[] | undefined): Promise<GroupToFill[]> {
  const which = ids ? sql`g.id = any(${ids}::uuid[])` : sql`g.available_dids_enabled`;
  const { rows } = await sql<GroupToFill>`
    select g.id, c.prefix as country_prefix, g.prefix,
           (select length(b.base) + 3 from stock_blocks b where b.did_group_id = g.id order by b.base limit 1) as number_length,
           coalesce((select json_agg(json_build_object('id', n.id, 'npa', n.npa, 'nxx', n.nxx) order by n.npa, n.nxx)
                     from did_group_nanpa_prefixes l join nanpa_prefixes n on n.id = l.nanpa_prefix_id
                     where l.did_group_id = g.id), '[]') as nanpa_prefixes
    from did_groups g join countries c on c.id = g.country_id
    where c.prefix is not null and ${which}
    order by c.iso, g.prefix, g.area_name, g.id`.execute(db);
  return rows;
}

/** Blocks that have a number in stock or sold. */
async function basesInUse({ db }: BulkTransaction): Promise<Set<string>> {
  const { rows } = await sql<{ base: string }>`
    select base from stock_blocks union select left(number, -3) from dids`.execute(db);
  return new Set(rows.map(({ base }) => base));
}

/** Distributes evenly; what does not fit into a group goes to the others. */
function planBlocks(count: number, leastPerGroup: number, groups: GroupToFill[], inUse: Set<string>): PlannedBlock[] {
  const wanted = Math.max(1, Math.min(groups.length, Math.floor(count / leastPerGroup)));
  const step = groups.length / wanted;
  const chosen = Array.from({ length: wanted }, (_, i) => groups[Math.floor(i * step)]).filter(
    (group) => group !== undefined,
  );
  const plan: PlannedBlock[] = [];
  let open = [...chosen, ...groups.filter((group) => !chosen.includes(group))].map((group) => ({
    group,
    blocks: freeBlocks(group),
  }));
  let left = count;
  let sharing = wanted;
  while (left > 0) {
    if (open.length === 0)
      throw new OperatorError(`There is room for ${count - left} more numbers in these groups, not for ${count}.`);
    const share = Math.ceil(left / Math.min(sharing, open.length));
    const full = new Set<object>();
    for (const entry of open) {
      if (left === 0) break;
      const taken = takeBlocks(entry.group, entry.blocks, Math.min(share, left), inUse, plan);
      left -= taken;
      if (taken < share) full.add(entry);
    }
    open = open.filter((entry) => !full.has(entry));
    sharing = open.length;
  }
  return plan;
}

function takeBlocks(
  group: GroupToFill,
  blocks: Generator<Block>,
  share: number,
  inUse: Set<string>,
  plan: PlannedBlock[],
): number {
  let taken = 0;
  while (taken < share) {
    const { value: block, done } = blocks.next();
    if (done) break;
    if (inUse.has(block.base)) continue;
    inUse.add(block.base);
    const count = Math.min(1000, share - taken);
    plan.push({ ...block, did_group_id: group.id, count });
    taken += count;
  }
  return taken;
}

/** In ascending order, so that the indexes grow at their end. */
function* chunksOf(plan: PlannedBlock[]): Generator<PlannedBlock[]> {
  const sorted = plan.sort((a, b) => (a.base < b.base ? -1 : 1));
  let chunk: PlannedBlock[] = [];
  let numbers = 0;
  for (const block of sorted) {
    chunk.push(block);
    numbers += block.count;
    if (numbers >= numbersPerInsert) {
      yield chunk;
      chunk = [];
      numbers = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}

async function insertBlocks({ db }: BulkTransaction, blocks: PlannedBlock[]): Promise<void> {
  const column = <K extends keyof PlannedBlock>(key: K) => blocks.map((block) => block[key]);
  await sql`
    insert into available_dids (id, number, did_group_id, nanpa_prefix_id)
    select ${numberId(sql`number`)}, number, did_group_id, nanpa_prefix_id
    from (select base || lpad(n::text, 3, '0') as number, did_group_id, nanpa_prefix_id
          from unnest(${column('base')}::text[], ${column('did_group_id')}::uuid[], ${column('nanpa_prefix_id')}::uuid[],
                      ${column('count')}::int[]) as b (base, did_group_id, nanpa_prefix_id, count)
          cross join lateral generate_series(0, b.count - 1) as n) as numbers`.execute(db);
}

interface GroupToFill {
  id: string;
  country_prefix: string;
  prefix: string;
  /** Number of digits of its existing numbers; null if it has none. */
  number_length: number | null;
  /** The NPA-NXX under which the group sells, in North America. */
  nanpa_prefixes: { id: string; npa: string; nxx: string }[];
}

interface Block {
  base: string;
  nanpa_prefix_id: string | null;
}

/** Numbers of this exchange are not sold: it has information services and numbers reserved for fiction. */
const fictionExchange = '555';

export function freeBlocks(group: GroupToFill): Generator<Block> {
  return isNorthAmerican(group.country_prefix) ? exchangeBlocks(group) : nationalBlocks(group);
}

function* exchangeBlocks({ nanpa_prefixes }: GroupToFill): Generator<Block> {
  for (const { id, npa, nxx } of nanpa_prefixes) {
    if (nxx === fictionExchange) continue;
    for (let thousand = 0; thousand < 10; thousand++) yield { base: `1${npa}${nxx}${thousand}`, nanpa_prefix_id: id };
  }
}

function* nationalBlocks(group: GroupToFill): Generator<Block> {
  const start = dialPrefix(group.country_prefix, group.prefix);
  const digits = (group.number_length ?? usualLength(start, group.country_prefix)) - start.length - 3;
  if (digits < 0) return;
  const all = 10 ** digits;
  // Subscriber numbers rarely begin with 0 or 1, so those come last.
  const first = digits === 0 ? 0 : 2 * 10 ** (digits - 1);
  // Numbering plans check the leading digits: after an invalid block, skip to other leading digits.
  const stride = Math.max(1, 10 ** (digits - 3));
  for (let i = 0; i < all; ) {
    const base = `${start}${digits === 0 ? '' : String((first + i) % all).padStart(digits, '0')}`;
    const valid = isValidPhoneNumber(`+${base}000`);
    if (valid) yield { base, nanpa_prefix_id: null };
    i = valid ? i + 1 : (Math.floor(i / stride) + 1) * stride;
  }
}

function usualLength(start: string, countryPrefix: string): number {
  const lengths = [10, 9, 8, 11, 7].map((national) => countryPrefix.length + national);
  const samples = ['234567', '345678', '567890', '200000', '900000'];
  const valid = (length: number) =>
    samples.some((digits) => isValidPhoneNumber(`+${`${start}${digits}`.slice(0, length).padEnd(length, '0')}`));
  return lengths.find(valid) ?? 0;
}
