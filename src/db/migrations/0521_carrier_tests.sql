-- Tests of carriers that wait for a process with SIP to ask the carrier (src/voice/sip-peers.ts).
create index peer_tests_waiting on peer_tests (carrier_id) where kind = 'options' and status = 'waiting';
