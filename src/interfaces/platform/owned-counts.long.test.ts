/** Totals and deep pages come from kept counts, and are what counting and skipping row by row would give. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { openShop } from '../../../test/support/shop.ts';
import { statementsDuring } from '../../../test/support/statements.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApplication } from '../verification/application.writes.ts';

const shop = useOpened(() => openShop({ account: { balance: '1000000' } }));
const run = (text: string, values: unknown[] = []) => shop.env.pool.query(text, values);

beforeAll(async () => {
  await run(
    `with ordered as (
       insert into orders (account_id, reference, kind, description, amount, status, created_at, finished_at)
       select $1, 'CNT-' || lpad(n::text, 6, '0'), 'generic', 'Counted', n, 'completed', at, at
       from generate_series(1, 60) n, lateral (select environment_time.now() - n * interval '7 hours' as at) t returning id)
     insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, created_at, activated_at)
     select $1, '44' || (2000000000 + n * 7919), $2, $3, (select id from ordered limit 1), 0, 2, environment_time.now(), environment_time.now()
     from generate_series(1, 60) n`,
    [shop.accountId, shop.groups.london, shop.skus.london],
  );
  await run(
    `select ensure_month_partition('did_history', environment_time.now() - n * interval '31 minutes') from generate_series(0, 40) n`,
  );
  await run(
    `insert into did_history (account_id, did_number, action, method, created_at)
     select $1, '442' || n, case n % 3 when 0 then 'renewed' else 'assigned' end, 'api3', environment_time.now() - n * interval '31 minutes'
     from generate_series(1, 40) n`,
    [shop.accountId],
  );
  await run(
    `insert into identities (account_id, identity_type, first_name, last_name, phone_number, created_at)
     select $1, 'personal', 'A', 'B', '1', environment_time.now() - n * interval '5 hours' from generate_series(1, 30) n`,
    [shop.accountId],
  );
  await createApplication(shop.env, shop.accountId, { name: 'web' });
  await createApplication(shop.env, shop.accountId, { name: 'shop' });
  await run(addVerifications(20), [shop.accountId]);
});

/** Verifications of the last hours, of all applications and methods. */
const addVerifications = (count: number) => `
  insert into verifications (id, application_id, account_id, destination, delivery_method, status, fee, language, code_length, code_timeout,
    created_at, expires_at, final_at)
  select gen_random_uuid(), a.id, a.account_id, '4915' || n, case n % 3 when 0 then 'callout' else 'sms' end, 'verified', 0, 'en-US', 6, 300,
    at, at, at
  from otp_applications a, generate_series(1, ${count}) n, lateral (select environment_time.now() - n * interval '7 minutes' as at) t
  where a.account_id = $1`;

/** Kept counts, those that are not folded yet included, that differ from the rows. */
const differences = `
  with kept as (
    select account_id, list, part, entries from owned_counts
    union all select h.account_id, h.list, p.part, h.change from owned_count_changes h, unnest(h.parts) as p (part)
  ), counted as (
    select account_id, 'dids' as list, p.part from dids, unnest(did_parts(number, did_group_id, terminated, awaiting_registration,
      blocked_by_staff, emergency_enabled, voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id)) as p (part)
    where activated_at is not null
    union all select account_id, 'orders', p.part from orders, unnest(order_parts(seq, status)) as p (part)
    union all select account_id, 'did_history', p.part from did_history, unnest(did_history_parts(created_at, action, method)) as p (part)
    union all select account_id, 'verifications', p.part from verifications, unnest(verification_parts(created_at, application_id, delivery_method)) as p (part)
    union all select account_id, 'identities', p.part from identities, unnest(array[''] || time_parts(created_at)) as p (part) where hidden_at is null
  )
  select account_id, list, part, sum(n) as difference
  from (select account_id, list, part, entries as n from kept where list in ('dids', 'orders', 'did_history', 'identities', 'verifications')
        union all select account_id, list, part, -1 from counted) each
  group by 1, 2, 3 having sum(n) <> 0`;

const requireExact = async () => expect((await run(differences)).rows).toEqual([]);

const some = (table: string, size: number) =>
  `id in (select id from ${table} where account_id = $1 order by md5(id::text || '${size}') limit ${size})`;

/** Changes that move rows between counts, out of lists and back. */
const changes = fc.constantFrom(
  (n: number) => `update dids set terminated = not terminated where ${some('dids', n)}`,
  (n: number) => `update dids set blocked_by_staff = not blocked_by_staff, description = 'x' where ${some('dids', n)}`,
  (n: number) =>
    `update dids set activated_at = case when activated_at is null then created_at end where ${some('dids', n)}`,
  (n: number) => `update dids set number = '45' || right(number, 10) || '${n % 10}' where ${some('dids', 1)}`,
  (n: number) =>
    `update orders set status = case status when 'completed' then 'canceled' else 'completed' end where ${some('orders', n)}`,
  (n: number) =>
    `update identities set hidden_at = case when hidden_at is null then created_at end where ${some('identities', n)}`,
  (n: number) => `delete from identities where ${some('identities', n % 3)}`,
  addVerifications,
  (n: number) =>
    `update verifications set status = 'failed', error_code = 'superseded' where ${some('verifications', n)}`,
  (n: number) => `delete from verifications where ${some('verifications', n)}`,
  () => `select owned_counts_fold() where $1::text is not null`,
);

test('the counts are exact after many numbers have come in one statement', async () => {
  await run(
    `insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, created_at, activated_at)
     select $1, '43' || (6600000000 + n * 31), $2, $3, (select id from orders where account_id = $1 limit 1), 0, 2, environment_time.now(),
       case when n % 5 > 0 then environment_time.now() end
     from generate_series(1, 1200) n`,
    [shop.accountId, shop.groups.london, shop.skus.london],
  );
  await requireExact();
  await run(`delete from dids where number like '4366%' and account_id = $1`, [shop.accountId]);
  await requireExact();
});

test.each(['dids', 'orders', 'did_history', 'identities', 'verifications'])('%s is counted anew', async (list) => {
  await run(`delete from owned_counts where list = $1`, [list]);
  await run(`insert into owned_count_changes values ($1, $2, array['', '1 2'], 5)`, [shop.accountId, list]);
  await run('select owned_counts_recount($1)', [list]);
  await requireExact();
});

test('the counts are exact after any change', async () => {
  await requireExact();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(changes, fc.integer({ min: 1, max: 20 })), { maxLength: 6 }), async (steps) => {
      for (const [change, size] of steps) {
        await run(change(size), [shop.accountId]).catch((error) => {
          // Two numbers may end up the same.
          if (error.code !== '23505') throw error;
        });
      }
      await requireExact();
    }),
    { numRuns: 6 },
  );
});

interface List {
  path: string;
  /** The whole list in its order. */
  sql: string;
  filter?: string;
}

const now = 'environment_time.now()';
const lists: List[] = [
  { path: '/dids', sql: 'select id from dids where account_id = $1 and activated_at is not null order by number, id' },
  { path: '/orders', sql: 'select id from orders where account_id = $1 order by seq' },
  {
    path: '/identities',
    sql: 'select id from identities where account_id = $1 and hidden_at is null order by created_at, id',
  },
  {
    path: '/did_history',
    sql: `select id from did_history where account_id = $1 and created_at >= ${now} - interval '90 days' order by created_at desc, id`,
  },
];

test.each(
  lists.flatMap((list) => [
    { ...list, state: 'folded' },
    { ...list, state: 'not folded' },
  ]),
)('every page of $path, with its total, changes $state', async ({ path, sql, state }) => {
  if (state === 'folded') await run('select owned_counts_fold()');
  else await run(`insert into owned_count_changes select $1, $2, array[''], 0`, [shop.accountId, path.slice(1)]);
  const all = (await run(sql, [shop.accountId])).rows.map(({ id }) => id);
  const size = 7;
  for (let page = 1; page <= Math.ceil(all.length / size) + 1; page += 1) {
    const { resources, meta } = await shop.client.get(
      `${path}?page[size]=${size}&page[number]=${page}&fields[orders]=status`,
    );
    expect(resources.map(({ id }: { id: string }) => id)).toEqual(all.slice((page - 1) * size, page * size));
    expect(meta.total_records).toBe(all.length);
  }
});

test.each([
  [
    '/dids?filter[blocked]=true',
    'dids',
    'activated_at is not null and (terminated or awaiting_registration or blocked_by_staff)',
  ],
  [
    '/dids?filter[blocked]=false',
    'dids',
    'activated_at is not null and not (terminated or awaiting_registration or blocked_by_staff)',
  ],
  ['/dids?filter[voice_in_trunk.id]=', 'dids', 'activated_at is not null and voice_in_trunk_id is null'],
  ['/orders?filter[status]=completed', 'orders', `status = 'completed'`],
  ['/orders?filter[status]=completed,canceled', 'orders', `status in ('completed', 'canceled')`],
  ['/did_history?filter[action]=assigned', 'did_history', `action = 'assigned'`],
])('the total of %s is kept', async (path, table, condition) => {
  const { rows } = await run(`select count(*)::int as n from ${table} where account_id = $1 and ${condition}`, [
    shop.accountId,
  ]);
  const statements = await statementsDuring(shop.env.pool, async () => {
    const { meta } = await shop.client.get(`${path}&page[size]=1&fields[orders]=status`);
    expect(meta.total_records).toBe(rows[0].n);
  });
  const counting = statements.filter(({ text }) => text.includes(`count(*)::int from ${table} t`));
  expect(counting).toEqual([]);
});

test('an uncommitted change is counted by its own transaction alone, and nobody waits for it', async () => {
  const total = async () =>
    Number((await shop.client.get('/orders?page[size]=1&fields[orders]=status')).meta.total_records);
  const before = await total();
  const kept = `select (select sum(entries) from owned_counts where account_id = $1 and list = 'orders' and part = '')
    + coalesce((select sum(change) from owned_count_changes where account_id = $1 and list = 'orders'), 0) as n`;
  const added = `insert into orders (account_id, reference, kind, description, amount, status, created_at, finished_at)
    select $1, $2 || '-' || lpad(n::text, 6, '0'), 'generic', 'x', 1, 'completed', ${now}, ${now} from generate_series(1, 3) n`;
  const [first, second] = [await shop.env.pool.connect(), await shop.env.pool.connect()];
  try {
    await first.query('begin');
    await first.query(added, [shop.accountId, 'AAA']);
    await first.query('select owned_counts_fold()');
    expect(Number((await first.query(kept, [shop.accountId])).rows[0].n)).toBe(before + 3);
    await second.query("begin; set local lock_timeout = '1ms'");
    await second.query(added, [shop.accountId, 'AAB']);
    await second.query('select owned_counts_fold()');
    expect(Number((await second.query(kept, [shop.accountId])).rows[0].n)).toBe(before + 3);
    await second.query('commit');
    expect(await total()).toBe(before + 3);
    await first.query('rollback');
    expect(await total()).toBe(before + 3);
  } finally {
    first.release(true);
    second.release(true);
  }
  await requireExact();
});
