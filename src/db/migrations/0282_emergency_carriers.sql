-- The carriers that take emergency calls: of callers in these countries (ISO codes), or of 'all'.
alter table carriers add column emergency_countries text[] not null default '{}';
