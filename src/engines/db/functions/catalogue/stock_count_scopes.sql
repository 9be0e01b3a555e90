-- The counts, other than its own, that a group is part of.
create or replace view stock_count_scopes as
  select g.id as did_group_id, s.scope, s.id
  from did_groups g, lateral (values
    ('all', '00000000-0000-0000-0000-000000000000'::uuid), ('country', g.country_id), ('region', g.region_id), ('city', g.city_id)
  ) as s (scope, id)
  where g.available_dids_enabled and s.id is not null;
