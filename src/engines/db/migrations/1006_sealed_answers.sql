-- Answers of the last day to creates with an Idempotency-Key are sealed with the server key. A key whose answer was kept
-- in the clear is refused for another day, so that nothing is made twice.
alter table idempotency_keys drop column answer;
alter table idempotency_keys add column sealed_answer text;
