/** The address of a number that may call emergency services, as an operator's review leaves it. */
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import type { Dialer } from './dialers.ts';

/**
 * Registers an address in London for the number, with this state of its review; the one that was approved last counts.
 */
export async function registerAddress(
  env: WholeEnvironment,
  { accountId, didId }: Pick<Dialer, 'accountId' | 'didId'>,
  address: string,
  status: 'approved' | 'pending',
  minute = 0,
): Promise<void> {
  const at = new Date(env.clock.now().getTime() + minute * 60_000);
  await env.pool.query(
    `with country as (select id from countries where iso = 'GB'),
     kind as (select g.did_group_type_id as id from dids d join did_groups g on g.id = d.did_group_id where d.id = $2),
     requirement as (
       insert into emergency_requirements (id, country_id, did_group_type_id, identity_type, address_area_level,
         personal_mandatory_fields, business_mandatory_fields, address_mandatory_fields, estimate_setup_time)
       select gen_random_uuid(), country.id, kind.id, 'any', 'country', '{}', '{}', '{}', '7-14 days' from country, kind
       on conflict (country_id, did_group_type_id) do update set identity_type = 'any' returning id
     ), service as (
       insert into emergency_calling_services (account_id, name, reference, status, country_id, did_group_type_id,
         emergency_requirement_id, setup_price, monthly_price, created_at)
       select $1, 'office', 'ECS-' || (100000 + random() * 800000)::int, 'active', country.id, kind.id,
         requirement.id, 0, 0, $3 from country, kind, requirement
       where not exists (select from dids where id = $2 and emergency_calling_service_id is not null) returning id
     ), linked as (
       update dids set emergency_calling_service_id = service.id from service where dids.id = $2 returning 1
     ), identity as (
       insert into identities (account_id, identity_type, first_name, last_name, phone_number, created_at)
       values ($1, 'personal', 'Ada', 'Byron', '442012345', $3) returning id
     ), place as (
       insert into addresses (account_id, identity_id, country_id, address, city_name, postal_code, created_at)
       select $1, identity.id, country.id, $4, 'London', 'W1', $3 from identity, country returning id
     )
     insert into emergency_verifications (account_id, emergency_calling_service_id, address_id, reference, status,
       created_at, decided_at)
     select $1, coalesce((select id from service), (select emergency_calling_service_id from dids where id = $2)),
       place.id, 'EVF-' || (100000 + random() * 800000)::int, $5, $3, case when $5 = 'approved' then $3::timestamptz end
     from place`,
    [accountId, didId, at, address, status],
  );
}
