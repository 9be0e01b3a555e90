-- Bills are mailed.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check
  check (kind in ('low_balance', 'reset', 'invitation', 'email', 'security_notice', 'bill'));
