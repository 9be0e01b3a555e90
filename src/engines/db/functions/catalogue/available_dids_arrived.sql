-- Whatever brings stock, waiting orders are checked once it has been committed. Always, and not only if an order waits:
-- an order that is being written at the same moment cannot be seen from here.
create or replace function available_dids_arrived() returns trigger language plpgsql as $$
begin
  perform queue_job('orders.fulfil_waiting', '{}', environment_time.now(), priority => -30);
  return null;
end $$;

create or replace trigger available_dids_arrived after insert on available_dids
  for each statement execute function available_dids_arrived();
