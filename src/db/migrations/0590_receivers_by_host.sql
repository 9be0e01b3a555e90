-- Operators look for the callbacks to one receiver by its host, or the beginning of it. A password in a URL is no part of the host.
create index deliveries_host
  on deliveries (lower(split_part(regexp_replace(url, '//[^/@]*@', '//'), '/', 3)) text_pattern_ops, created_at);
