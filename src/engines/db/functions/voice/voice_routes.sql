-- Everything that is needed to route calls that arrive together, one row for each number that an account owns;
-- `position` is the place of the number in the list. `callers` has the digits of each caller, null where there are
-- none. A plan for any list is kept: PostgreSQL would otherwise make a new one for each, which takes longer than
-- reading.
--
-- The channels of a suspended pool (its renewal could not be paid) count as none. Metered channels are billed in whole
-- minutes at their pool's rate. Streams are those with an endpoint; none while the operator has switched call events
-- off.
create or replace function voice_routes(numbers text[], callers text[])
returns table (
  "position" bigint, suspended boolean, "accountId" uuid, "didId" uuid, country text, blocked boolean, terminated boolean,
  "awaitingRegistration" boolean, "expiresAt" timestamptz, "numberLimit" integer, included integer, dedicated integer,
  spendable text, "vatRate" numeric, "capacityGroup" json, "meteredRate" json, "tollFreeRate" json, "trunkGroup" json,
  trunks json, streams text[]
)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return query
  select x.position, a.suspended_at is not null, d.account_id, d.id, c.iso, d.blocked_by_staff, d.terminated,
         d.awaiting_registration, d.expires_at, d.capacity_limit, d.channels_included_count,
         case when p.suspended then 0 else d.dedicated_channels_count end,
         (a.balance + a.credit)::text, a.vat_rate,
         case when g.id is not null then json_build_object('id', g.id, 'name', g.name,
           'shared', case when gp.suspended then 0 else g.shared_channels_count end,
           'metered', case when gp.suspended then 0 else g.metered_channels_count end) end,
         case when gt.metered_rate is not null then json_build_object(
           'perMinute', adjusted_price(a.id, 'metered_minute', gt.metered_rate, 4)::text,
           'connectionFee', '0', 'initialInterval', 60, 'nextInterval', 60) end,
         case when dg.is_metered then (select voice_rate_json(r) from voice_rate('toll_free', d.account_id, d.number) r) end,
         case when tg.id is not null then json_build_object('id', tg.id, 'name', tg.name,
           'capacityLimit', tg.capacity_limit) end,
         (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'priority', t.priority,
             'weight', t.weight, 'capacityLimit', t.capacity_limit, 'ringingTimeout', t.ringing_timeout,
             'popId', t.pop_id,
             'callerId', json_build_object('format', t.cli_format, 'prefix', t.cli_prefix),
             'switches', json_build_object('userPhone', t.user_phone, 'reliable', t.reliable_provisionals,
               'contacts', t.ringing_contacts),
             'type', t.configuration_type, 'configuration', t.configuration,
             'forwardingRate', case when t.configuration_type = 'pstn_configurations' then
               (select voice_rate_json(r) from voice_rate('pstn_forwarding', t.account_id, t.configuration->>'dst') r)
             end,
             'nameLookupRate', case when (t.configuration->>'cnam_lookup')::boolean then
               (select voice_rate_json(r) from voice_rate('cnam_lookup', t.account_id, x.caller) r)
             end) order by t.id), '[]')
          from voice_in_trunks t
          where t.id = d.voice_in_trunk_id or t.voice_in_trunk_group_id = d.voice_in_trunk_group_id),
         array(select s.stream from (
             select e.stream from call_event_streams e where e.account_id = a.id
             union select 'voice_in_events' where a.call_events->>'url' is not null) s
           where coalesce((a.features->>'call_events')::boolean, true))
  from unnest(numbers, callers) with ordinality x (number, caller, position)
  join dids d on d.number = x.number and d.activated_at is not null
  join accounts a on a.id = d.account_id
  join did_groups dg on dg.id = d.did_group_id
  join countries c on c.id = dg.country_id
  left join capacity_pools p on p.id = d.capacity_pool_id
  left join shared_capacity_groups g on g.id = d.shared_capacity_group_id
  left join capacity_pools gp on gp.id = g.capacity_pool_id
  left join capacity_pool_templates gt on gt.id = gp.template_id
  left join voice_in_trunk_groups tg on tg.id = d.voice_in_trunk_group_id;
end $$;
