-- Takes the tables of the last schema before the baseline (0660, commit 1a3f0675) to those of the baseline, whose
-- comments say why they are as they are. Functions, triggers and views follow from their files. A new database never
-- runs this. To be removed, with move-over.ts, once nobody upgrades from 0.1.0 at that commit any more.

-- Copies of accounts.
alter table world_snapshots add column whole boolean not null default false;
alter table worlds add column whole boolean not null default false;
-- Until now a copy of the sandbox held every account of it, with keys that worked. Where there is more than one, such
-- copies end: nobody reaches them from now on, and the sandbox drops their databases at its next look.
with shared as (
  select from accounts having count(*) > 1
), snapshots as (
  delete from world_snapshots using shared
)
update worlds set state = 'ending', api_key_hash = null, application_key = null, used_at = 'epoch'
from shared where state = 'used' and origin not in ('empty', 'demo');
create table seed_uses (
  account_id uuid primary key references accounts,
  accounts integer not null default 0,
  numbers integer not null default 0,
  records integer not null default 0
);

-- Confirmed sessions.
alter table panel_sessions add column confirmed_at timestamptz;
alter table login_challenges drop constraint login_challenges_purpose_check;
alter table login_challenges add constraint login_challenges_purpose_check
  check (purpose in ('second_factor', 'passkey_sign_in', 'passkey_registration', 'passkey_confirmation'));
alter table login_links add column email text;
alter table login_links drop constraint login_links_purpose_check;
alter table login_links add constraint login_links_purpose_check check (purpose in ('reset', 'invitation', 'email'));
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check
  check (kind in ('low_balance', 'reset', 'invitation', 'email', 'security_notice'));

-- Checked sign-ins.
alter table sign_in_failures add column checked boolean not null default true;
alter table sign_in_failures alter column checked set default false;
create table daily_counts (
  id bigint generated always as identity primary key,
  subject bytea not null,
  at timestamptz not null
);
create index daily_counts_subject on daily_counts (subject, at);
create index daily_counts_at on daily_counts (at);
create table seed_budgets (
  account_id uuid primary key references accounts on delete cascade,
  payer_id uuid not null references accounts on delete cascade,
  day date not null default (now() at time zone 'UTC')::date,
  records integer not null default 0,
  accounts integer not null default 0
);
create index seed_budgets_payer on seed_budgets (payer_id);

-- Acting reason.
alter table panel_sessions add column acting_reason text;

-- Conversion by country.
alter table verification_conversion
  drop constraint verification_conversion_pkey,
  add primary key (started, prefix, account_id, country, delivery_method, provider_id, carrier_id);

-- Callbacks of a batch.
drop index deliveries_batch;
create sequence deliveries_places;
alter table deliveries
  add column place bigint,
  add column sending boolean not null default false,
  drop constraint deliveries_status_check,
  add constraint deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'dropped', 'merged'));
update deliveries set place = nextval('deliveries_places') where batch is not null and status = 'pending';
create index deliveries_batch on deliveries (batch, place) where batch is not null and status = 'pending';

-- Call reservations.
alter table accounts add column held numeric(18, 4) not null default 0;
alter table voice_out_trunks
  add column held numeric(18, 4) not null default 0,
  add column spent_at_most numeric(18, 4) not null default 0,
  add column threshold_from timestamptz;
alter table open_calls
  add column held numeric(18, 4) not null default 0,
  add column risk text;
-- More than any threshold, so that the first call computes it.
update voice_out_trunks set spent_at_most = 1000000000;
create table destination_risks (
  id uuid primary key default gen_random_uuid(),
  prefix text not null constraint destination_risks_prefix unique check (prefix ~ '^[0-9]{1,15}$'),
  risk text not null check (risk in ('standard', 'elevated', 'high')),
  note text
);
create table risk_limits (
  id uuid primary key default gen_random_uuid(),
  risk text not null check (risk in ('standard', 'elevated', 'high')),
  account_id uuid references accounts on delete cascade,
  daily_limit numeric(18, 4) check (daily_limit >= 0)
);
create unique index risk_limits_once on risk_limits (risk, coalesce(account_id, '00000000-0000-0000-0000-000000000000'));
create table risk_spending (
  account_id uuid not null references accounts on delete cascade,
  risk text not null,
  day date not null,
  spent numeric(18, 4) not null default 0,
  held numeric(18, 4) not null default 0,
  primary key (account_id, risk, day)
);
insert into risk_limits (risk, daily_limit) values ('standard', null), ('elevated', 100), ('high', 25);
insert into destination_risks (prefix, risk, note) values
  ('870', 'high', 'Inmarsat'), ('8810', 'high', 'satellite'), ('8811', 'high', 'satellite'), ('8816', 'high', 'Iridium'),
  ('8817', 'high', 'Iridium'), ('8818', 'high', 'Globalstar'), ('8819', 'high', 'Globalstar'),
  ('882', 'high', 'international networks'), ('883', 'high', 'international networks'), ('878', 'high', 'universal personal'),
  ('979', 'high', 'international premium rate'), ('808', 'high', 'international shared cost'),
  ('1900', 'high', 'premium rate'), ('1976', 'high', 'premium rate'),
  ('449', 'high', 'premium rate, United Kingdom'), ('4470', 'high', 'personal numbers, United Kingdom'),
  ('4487', 'elevated', 'service numbers, United Kingdom'), ('4484', 'elevated', 'service numbers, United Kingdom'),
  ('49900', 'high', 'premium rate, Germany'), ('49137', 'high', 'mass calling, Germany'), ('49180', 'elevated', 'shared cost, Germany'),
  ('3389', 'high', 'premium rate, France'), ('3381', 'elevated', 'service numbers, France'),
  ('39899', 'high', 'premium rate, Italy'), ('39892', 'high', 'premium rate, Italy'),
  ('34803', 'high', 'premium rate, Spain'), ('34806', 'high', 'premium rate, Spain'), ('34807', 'high', 'premium rate, Spain'),
  ('31900', 'high', 'premium rate, Netherlands'), ('31906', 'high', 'premium rate, Netherlands'),
  ('31909', 'high', 'premium rate, Netherlands'), ('3290', 'high', 'premium rate, Belgium'),
  ('43900', 'high', 'premium rate, Austria'), ('43930', 'high', 'premium rate, Austria'),
  ('4190', 'high', 'premium rate, Switzerland'), ('487', 'elevated', 'special numbers, Poland'),
  ('4870', 'high', 'premium rate, Poland'), ('37190', 'high', 'premium rate, Latvia'), ('3708', 'elevated', 'special numbers, Lithuania'),
  ('37290', 'high', 'premium rate, Estonia'), ('42090', 'high', 'premium rate, Czechia'), ('6119', 'high', 'premium rate, Australia'),
  ('7809', 'high', 'premium rate, Russia'),
  ('53', 'high', 'Cuba'), ('252', 'high', 'Somalia'), ('232', 'high', 'Sierra Leone'), ('220', 'high', 'Gambia'),
  ('224', 'high', 'Guinea'), ('231', 'high', 'Liberia'), ('235', 'high', 'Chad'), ('236', 'high', 'Central African Republic'),
  ('239', 'high', 'São Tomé and Príncipe'), ('243', 'high', 'DR Congo'), ('245', 'high', 'Guinea-Bissau'), ('246', 'high', 'Diego Garcia'),
  ('247', 'high', 'Ascension'), ('257', 'high', 'Burundi'), ('261', 'high', 'Madagascar'), ('269', 'high', 'Comoros'),
  ('290', 'high', 'Saint Helena'), ('291', 'high', 'Eritrea'), ('500', 'high', 'Falkland Islands'), ('670', 'high', 'Timor-Leste'),
  ('672', 'high', 'Antarctica, Norfolk Island'), ('674', 'high', 'Nauru'), ('675', 'high', 'Papua New Guinea'), ('677', 'high', 'Solomon Islands'),
  ('678', 'high', 'Vanuatu'), ('681', 'high', 'Wallis and Futuna'), ('682', 'high', 'Cook Islands'), ('683', 'high', 'Niue'),
  ('685', 'high', 'Samoa'), ('686', 'high', 'Kiribati'), ('688', 'high', 'Tuvalu'), ('690', 'high', 'Tokelau'), ('692', 'high', 'Marshall Islands'),
  ('850', 'high', 'North Korea'), ('960', 'high', 'Maldives'),
  ('213', 'elevated', 'Algeria'), ('216', 'elevated', 'Tunisia'), ('221', 'elevated', 'Senegal'), ('223', 'elevated', 'Mali'),
  ('226', 'elevated', 'Burkina Faso'), ('228', 'elevated', 'Togo'), ('229', 'elevated', 'Benin'), ('237', 'elevated', 'Cameroon'),
  ('248', 'elevated', 'Seychelles'), ('263', 'elevated', 'Zimbabwe'), ('355', 'elevated', 'Albania'), ('375', 'elevated', 'Belarus'),
  ('381', 'elevated', 'Serbia'), ('383', 'elevated', 'Kosovo'), ('387', 'elevated', 'Bosnia and Herzegovina'),
  ('509', 'elevated', 'Haiti'), ('592', 'elevated', 'Guyana'), ('597', 'elevated', 'Suriname'), ('963', 'elevated', 'Syria'),
  ('967', 'elevated', 'Yemen'), ('970', 'elevated', 'Palestine'), ('992', 'elevated', 'Tajikistan'), ('994', 'elevated', 'Azerbaijan'),
  ('1473', 'elevated', 'Grenada'), ('1649', 'elevated', 'Turks and Caicos'), ('1767', 'elevated', 'Dominica'),
  ('1784', 'elevated', 'Saint Vincent'), ('1876', 'elevated', 'Jamaica'), ('1268', 'elevated', 'Antigua and Barbuda');

-- Caller names.
create table caller_names (
  id uuid primary key default gen_random_uuid(),
  number text not null constraint caller_names_number unique check (number ~ '^[0-9]{3,15}$'),
  name text not null check (length(name) between 1 and 80)
);
create table caller_name_cache (
  number text primary key,
  name text,
  expires_at timestamptz not null
);
create index caller_name_cache_expiry on caller_name_cache (expires_at);

-- Reservations by group.
create index did_reservations_group on did_reservations (did_group_id);

-- The version of an account is fixed by its first request; those that are there have theirs.
alter table accounts alter column api_version drop not null, alter column api_version drop default;

-- The version that asked for an export.
alter table exports add column api_version text not null default '2026-04-16';
update exports set api_version = '2022-05-10' where filters->>'year' is not null;

-- How orders are made.
alter table orders add column method text
  check (method in ('system', 'api2', 'api3', 'staff', 'user_panel', 'mcp'));

-- Keys of every create. A row of before has the fingerprint of an order's attributes alone: another request, which is
-- refused.
alter table idempotency_keys add column type text not null default 'orders', drop column order_id;
alter table idempotency_keys alter column type drop default;

-- Ringing contacts.
alter table voice_in_trunks
  add column ringing_contacts text not null default 'together' check (ringing_contacts in ('together', 'one_by_one'));

-- Fees of open verifications.
alter table accounts add column quoted_at_most numeric(18, 4) not null default 0;
-- More than any balance, so that it is computed when it first matters.
update accounts a set quoted_at_most = 1000000000 where exists (select from verification_quotes q where q.account_id = a.id);

-- Read by no process any more: sign_in_failures has taken its place.
drop table sign_in_attempts;

-- Called by processes of versions before 0660 only.
drop function place_did_order(orders, json, boolean, json, timestamptz, int, text);
drop function fulfil_order(uuid, timestamptz, timestamptz, int, date, date, bigint, text);
drop type placed_order;

-- Orders are completed together, by complete_orders.
drop function complete_order(uuid, timestamptz, date, date);
drop function record_activation(uuid, text[], timestamptz[], timestamptz);

-- Its comment stands in the baseline.
comment on column identities.hidden_at is null;
