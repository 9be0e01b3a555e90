-- The carrier that brought an inbound call or took an outbound one, by the name it had then.
alter table cdrs_in add column carrier_id uuid, add column carrier_name text;
alter table cdrs_out add column carrier_id uuid, add column carrier_name text;

-- Calls that are active during the upgrade: both directions are stored in one form now.
update open_calls set call = call || jsonb_build_object(
  'direction', direction,
  'attempts', coalesce(call->'attempts', '[]'),
  'carrier', null,
  'source', case when call ? 'sourceIp' then jsonb_build_object(
    'address', call->'sourceIp', 'port', call->'sourcePort', 'protocol', call->'sourceProtocol') end);
