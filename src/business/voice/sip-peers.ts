/**
 * What is known about carriers and inbound trunks by OPTIONS requests: whether they answer, since when, and when they
 * asked us. Any number of processes share the work; each peer is asked by the process that claims it when it is due.
 */
import type { Environment } from '../../engines/environment.ts';

export interface DuePeer {
  /** Of the row in `sip_peers`. */
  readonly id: string;
  readonly carrier: { name: string; host: string; port: number | null; transport: 'udp' | 'tcp' | 'tls' } | null;
  /** The configuration of an inbound trunk. */
  readonly trunk: Record<string, unknown> | null;
  readonly verifyCertificate: boolean;
  readonly certificateName: string | null;
}

/** What a peer answered, or why it could not be asked. */
export interface PeerCheck {
  readonly isUp: boolean;
  readonly response: string;
  readonly roundTripMs: number | null;
  readonly address: string | null;
}

/** So that one that came back is used again soon. */
const whileDownSeconds = 15;

/** Whether an operator waits for the result: then a carrier is asked also while it is switched off. */
const isTested = (carrier: string) =>
  `exists (select from peer_tests w where w.carrier_id = ${carrier} and w.kind = 'options' and w.status = 'waiting')`;

/** The next process that looks asks the carrier. */
export async function checkCarrierNow({ db, clock }: Environment, carrierId: string): Promise<void> {
  const next_check_at = clock.now();
  await db
    .insertInto('sip_peers')
    .values({ carrier_id: carrierId, next_check_at })
    .onConflict((conflict) => conflict.column('carrier_id').doUpdateSet({ next_check_at }))
    .execute();
}

/** Returns peers that are due and not claimed by another process, and plans their next check. */
export async function claimDuePeers(env: Environment, everySeconds: number, most: number): Promise<DuePeer[]> {
  const now = env.clock.now();
  const { rows } = await env.pool.query<DuePeer>({
    name: 'voice_claim_sip_peers',
    text: `
      with due as materialized (
        (select c.id as carrier_id, null::uuid as trunk_id, p.next_check_at
         from carriers c left join sip_peers p on p.carrier_id = c.id
         where c.host is not null and (c.enabled or ${isTested('c.id')}) and (p.next_check_at is null or p.next_check_at <= $1)
         order by p.next_check_at nulls first limit $3)
        union all
        (select null, t.id, p.next_check_at
         from voice_in_trunks t left join sip_peers p on p.trunk_id = t.id
         where t.configuration_type = 'sip_configurations' and (p.next_check_at is null or p.next_check_at <= $1)
         order by p.next_check_at nulls first limit $3)
      ), by_carrier as (
        insert into sip_peers as p (carrier_id, next_check_at)
        select carrier_id, $2 from due where carrier_id is not null
        on conflict (carrier_id) do update set next_check_at = excluded.next_check_at
          where p.next_check_at is null or p.next_check_at <= $1
        returning p.id, p.carrier_id, p.trunk_id
      ), by_trunk as (
        insert into sip_peers as p (trunk_id, next_check_at)
        select trunk_id, $2 from due where trunk_id is not null
        on conflict (trunk_id) do update set next_check_at = excluded.next_check_at
          where p.next_check_at is null or p.next_check_at <= $1
        returning p.id, p.carrier_id, p.trunk_id
      )
      select p.id, t.configuration as trunk,
             case when c.id is not null
               then jsonb_build_object('name', c.name, 'host', c.host, 'port', c.port, 'transport', c.transport) end as carrier,
             coalesce(c.verify_certificate, true) as "verifyCertificate", c.certificate_name as "certificateName"
      from (select * from by_carrier union all select * from by_trunk) p
      left join carriers c on c.id = p.carrier_id left join voice_in_trunks t on t.id = p.trunk_id`,
    values: [now, new Date(now.getTime() + everySeconds * 1000), most],
  });
  return rows;
}

/**
 * `since` moves only when the state does. Tests of the carrier that wait get the result. Returns whether the state has
 * changed.
 */
export async function storePeerCheck(env: Environment, id: string, check: PeerCheck): Promise<boolean> {
  const now = env.clock.now();
  const { rows } = await env.pool.query<{ changed: boolean }>({
    name: 'voice_store_sip_peer',
    text: `
      with tested as (
        update peer_tests t set status = case when $2 = 'up' then 'passed' else 'failed' end, result = $4, milliseconds = $5, finished_at = $3
        from sip_peers p where p.id = $1 and t.carrier_id = p.carrier_id and t.kind = 'options' and t.status = 'waiting'
      )
      update sip_peers p set
        state = $2, since = case when p.state = $2 then p.since else $3 end, checked_at = $3, response = $4,
        round_trip_ms = $5, address = $6,
        next_check_at = case when $2 = 'up' then p.next_check_at else least(p.next_check_at, $7) end
      from sip_peers former where p.id = $1 and former.id = p.id
      returning former.state is distinct from p.state and former.state is not null as changed`,
    values: [
      ...[id, check.isUp ? 'up' : 'down', now, check.response.slice(0, 200), check.roundTripMs, check.address],
      new Date(now.getTime() + whileDownSeconds * 1000),
    ],
  });
  return rows[0]?.changed ?? false;
}

/** OPTIONS came from these addresses: of carriers by their networks, of trunks by the address that was asked last. */
export async function storeHeardPeers(env: Environment, addresses: readonly string[]): Promise<void> {
  await env.pool.query({
    name: 'voice_heard_sip_peers',
    text: `
      with carrier as (
        insert into sip_peers as p (carrier_id, heard_at)
        select c.id, $2 from carriers c
        where exists (select from unnest(c.addresses) n, unnest($1::inet[]) a where a <<= n)
        on conflict (carrier_id) do update set heard_at = excluded.heard_at
      )
      update sip_peers set heard_at = $2 where trunk_id is not null and address = any($1::inet[])`,
    values: [addresses, env.clock.now()],
  });
}

export interface PeerHealth {
  readonly kind: 'carrier' | 'trunk';
  readonly name: string;
  /** Of the trunk; null for a carrier. */
  readonly account: string | null;
  readonly state: 'up' | 'down' | null;
  readonly since: Date | null;
  readonly checked_at: Date | null;
  readonly response: string | null;
  readonly round_trip_ms: number | null;
  readonly heard_at: Date | null;
}

/** Carriers, or trunks of every account or one; those that are down first. */
export async function listPeerHealth(
  env: Environment,
  kind: PeerHealth['kind'],
  accountId: string | null = null,
): Promise<PeerHealth[]> {
  const columns = 'p.state, p.since, p.checked_at, p.response, p.round_trip_ms, p.heard_at';
  const order = `order by p.state = 'down' desc nulls last, name`;
  const { rows } =
    kind === 'carrier'
      ? await env.pool.query<PeerHealth>(
          `select 'carrier' as kind, c.name, null as account, ${columns}
           from carriers c left join sip_peers p on p.carrier_id = c.id ${order}`,
        )
      : await env.pool.query<PeerHealth>(
          `select 'trunk' as kind, t.name, a.name as account, ${columns}
           from voice_in_trunks t join accounts a on a.id = t.account_id left join sip_peers p on p.trunk_id = t.id
           where t.configuration_type = 'sip_configurations' and ($1::uuid is null or t.account_id = $1) ${order}`,
          [accountId],
        );
  return rows;
}
