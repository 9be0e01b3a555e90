-- Marks of server keys that have sealed secrets besides the one of server_key_mark: while a key is being replaced, and until
-- `trunkline server-key reseal` has sealed everything with the new one.
alter table environment_state add column further_key_marks text[] not null default '{}';
