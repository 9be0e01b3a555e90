/** Numbers, trunks and channels for tests of calls, written straight into the database. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { createAccount, type NewAccount } from '../../src/business/accounts/accounts.ts';
import type { DidsTable } from '../../src/engines/db/tables/dids.ts';
import type { VoiceInTrunksTable } from '../../src/engines/db/tables/voice.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { idOf, loadGroups, loadPoolTemplate, type PoolTerms, type SmallGroup } from './small-catalogue.ts';

const callGroup = (name: string): SmallGroup => ({
  country: 'GB',
  features: ['voice_in'],
  is_metered: name === 'metered',
  offers: [{ name, setup: 1, monthly: 1, channels: 2 }],
});
const callGroups = { plain: callGroup('plain'), metered: callGroup('metered') };

const callPool: PoolTerms = {
  name: 'Calls',
  minimum_limit: 0,
  minimum_qty_per_order: 1,
  setup_price: 1,
  monthly_price: 1,
  metered_rate: 0.03,
};

export interface Telephony {
  account(options?: Partial<NewAccount>): Promise<string>;
  /** A number of the account, with two included channels unless told otherwise. */
  did(
    accountId: string,
    columns?: Partial<Insertable<DidsTable>>,
    group?: 'plain' | 'metered',
  ): Promise<{ id: string; number: string }>;
  /** A SIP trunk; `sip` are members of its configuration. */
  trunk(accountId: string, columns?: Partial<Insertable<VoiceInTrunksTable>>, sip?: object): Promise<string>;
  pstnTrunk(accountId: string, dst: string): Promise<string>;
  trunkGroup(accountId: string, capacityLimit?: number | null): Promise<string>;
  /** A group of shared and metered channels, in a pool at 0.03 a minute. */
  capacityGroup(accountId: string, shared: number, metered: number): Promise<string>;
}

export async function createTelephony(env: WholeEnvironment): Promise<Telephony> {
  const at = env.clock.now();
  const run = (text: string, values: unknown[]) => env.pool.query(text, values);
  await loadGroups(env.pool, callGroups);
  const templateId = await loadPoolTemplate(env.pool, callPool);
  const orders = new Map<string, string>();
  let made = 0;

  async function orderOf(accountId: string): Promise<string> {
    const known = orders.get(accountId);
    if (known !== undefined) return known;
    const id = randomUUID();
    made += 1;
    const reference = `TST-${String(made).padStart(6, '0')}`;
    await run(
      `insert into orders (id, account_id, reference, kind, description, amount, status, created_at, finished_at)
       values ($1, $2, $3, 'did', 'DID', 0, 'completed', $4, $4)`,
      [id, accountId, reference, at],
    );
    orders.set(accountId, id);
    return id;
  }

  async function insertTrunk(accountId: string, values: Partial<Insertable<VoiceInTrunksTable>>): Promise<string> {
    made += 1;
    const { id } = await env.db
      .insertInto('voice_in_trunks')
      .values({
        account_id: accountId,
        name: `trunk ${made}`,
        configuration_type: 'sip_configurations',
        configuration: '{}',
        created_at: at,
        ...values,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  return {
    account: async (options = {}) => {
      made += 1;
      return (await createAccount(env, { name: `Caller ${made}`, balance: '100', ...options })).id;
    },
    did: async (accountId, columns = {}, group = 'plain') => {
      made += 1;
      const number = String(9_900_000_000 + made);
      const { id } = await env.db
        .insertInto('dids')
        .values({
          account_id: accountId,
          number,
          did_group_id: idOf('did_groups', group),
          sku_id: idOf('stock_keeping_units', group),
          order_id: await orderOf(accountId),
          order_position: 0,
          channels_included_count: 2,
          created_at: at,
          activated_at: at,
          expires_at: new Date(at.getTime() + 20 * 86_400_000),
          ...columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, number: columns.number ?? number };
    },
    trunk: (accountId, columns = {}, sip = {}) =>
      insertTrunk(accountId, {
        ...columns,
        configuration: JSON.stringify({
          username: null,
          host: 'sip.example.net',
          port: 5060,
          transport_protocol_id: 1,
          ...sip,
        }),
      }),
    pstnTrunk: (accountId, dst) =>
      insertTrunk(accountId, { configuration_type: 'pstn_configurations', configuration: JSON.stringify({ dst }) }),
    trunkGroup: async (accountId, capacityLimit = null) => {
      made += 1;
      const { id } = await env.db
        .insertInto('voice_in_trunk_groups')
        .values({ account_id: accountId, name: `group ${made}`, capacity_limit: capacityLimit, created_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    capacityGroup: async (accountId, shared, metered) => {
      made += 1;
      await run(
        `update capacity_pools set total_channels_count = total_channels_count + $3 where account_id = $1 and template_id = $2`,
        [accountId, templateId, shared],
      );
      const { rows } = await env.pool.query<{ id: string }>(
        `insert into shared_capacity_groups (account_id, capacity_pool_id, name, shared_channels_count, metered_channels_count, created_at)
         select $1, p.id, $2, $3, $4, $5 from capacity_pools p where p.account_id = $1 and p.template_id = $6 returning id`,
        [accountId, `channels ${made}`, shared, metered, at, templateId],
      );
      return rows[0]?.id ?? '';
    },
  };
}
