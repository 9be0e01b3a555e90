-- The job that has a number go on at its supplier as it does here.
create or replace function follow_number(p_purchase uuid, p_supplier uuid) returns void language sql as $$
  select queue_job('suppliers.follow', json_build_object('purchase_id', p_purchase), environment_time.now(),
    key => 'suppliers.follow:' || p_purchase, lanes => array['supplier:' || p_supplier])
$$;
