-- The job that brings a purchase at a supplier one step on. One supplier's jobs wait for each other, for nobody else.
create or replace function queue_purchase(p_purchase uuid, p_supplier uuid, p_now timestamptz) returns void language sql as $$
  select queue_job('suppliers.obtain', json_build_object('purchase_id', p_purchase), p_now, priority => -30,
    key => 'suppliers.obtain:' || p_purchase, lanes => array['supplier:' || p_supplier])
$$;
