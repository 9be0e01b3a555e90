-- Who waits for a message in the sandbox's inbox is told by the process that put it there, after the commit and for several
-- messages at once: transactions that notify are committed one after another.
drop trigger sandbox_messages_arrived on sandbox_messages;
drop function tell_sandbox_message();
