-- Whether somebody delivers codes to a number. Also if the operator has set up no route at all: the dispatch then fails.
create or replace function has_verification_route(p_method text, p_destination text)
returns boolean language sql stable as $$
  select exists (select from verification_routes r where r.delivery_method = p_method and starts_with(p_destination, r.prefix))
      or not exists (select from verification_routes r where r.delivery_method = p_method)
$$;
