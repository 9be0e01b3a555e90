-- Orders: ranges of a million and of a thousand sequence numbers.
create or replace function order_parts(seq bigint, status text) returns text[] language sql stable as $$
  select array['', '1 ' || lpad((seq / 1000000)::text, 12, '0'), '2 ' || lpad((seq / 1000)::text, 15, '0'), 'status=' || status]
$$;
