-- A mark made with the server key: a process that comes with another key is told so before it stores a secret.
alter table environment_state add column server_key_mark text;
