-- Offers are kept in memory with the prices of their customer, so a price of one customer is part of the reference data.
create trigger catalogue_changed after insert or update or delete or truncate on price_adjustments
  for each statement execute function catalogue_version_change();
