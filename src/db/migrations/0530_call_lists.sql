-- The page of one call finds it by its id, however many calls there are.
create index cdrs_in_id on cdrs_in (id);
create index cdrs_out_id on cdrs_out (id);
