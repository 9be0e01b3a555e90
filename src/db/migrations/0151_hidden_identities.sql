-- An identity whose address is behind an approved verification is hidden when its owner deletes it, as such an address is.

alter table identities add column hidden_at timestamptz;
comment on column identities.hidden_at is 'Deleted by its owner, but still behind an approved verification.';
