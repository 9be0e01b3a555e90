-- How the equipment of a carrier or of an inbound trunk wants SIP, where peers differ: numbers marked with user=phone, and
-- provisional responses sent reliably (100rel). Only an operator sets them.
alter table carriers
  add column user_phone boolean not null default false,
  add column reliable_provisionals text not null default 'supported'
    check (reliable_provisionals in ('off', 'supported', 'required'));
alter table voice_in_trunks
  add column user_phone boolean not null default false,
  add column reliable_provisionals text not null default 'supported'
    check (reliable_provisionals in ('off', 'supported', 'required'));
