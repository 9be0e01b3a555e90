-- A world may have SIP on a port of its own; it is the same after a restart, unless another program has taken it meanwhile.
-- 0 until it has been opened.
alter table worlds add column sip_port int check (sip_port between 0 and 65535);
