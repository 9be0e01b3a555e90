-- A test may ask for a message that arrives twice. Each copy is still put into the inbox once.
alter table sandbox_messages add column copy smallint not null default 1;
alter table sandbox_messages drop constraint sandbox_messages_verification_id_key;
alter table sandbox_messages add constraint sandbox_messages_copy unique (verification_id, copy);
