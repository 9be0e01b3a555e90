/** How much memory outside of the heap an answered call keeps: small pieces of large blocks keep the blocks. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { SessionUser } from './dialog/session.ts';
import { machineIds } from './ids.ts';
import { copyToKeep } from './message/kept-bytes.ts';
import { machineTimers } from './timers.ts';
import { openUdpWire } from './transport/udp-wire.ts';
import { UserAgent, type UserAgentUser } from './user-agent.ts';

const calls = 300;
/** At both ends together: the INVITE and the 200 as they came, and the ACK that may have to be sent again. */
const mostBytesPerCall = 2_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function bytesInBuffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

test('a call that is up keeps the messages that it may have to repeat, and not what was sent beside them', async () => {
  const content = { type: 'application/sdp', body: copyToKeep(Buffer.from('v=0\r\n'.repeat(40))) };
  let [answered, ended] = [0, 0];
  const sessionUser: SessionUser = {
    request: (session, transaction) => session.answer(transaction, 200),
    acknowledged: () => void answered++,
    ended: () => void ended++,
  };
  const user: UserAgentUser = {
    call: (call) => {
      call.progress(180);
      call.accept({ content }, sessionUser);
    },
    request: (transaction) => transaction.reply(405),
  };
  const open = async () => {
    const agent = new UserAgent({ timers: machineTimers, ids: machineIds, random: Math.random }, user);
    const wire = await openUdpWire({ host: '127.0.0.1', port: 0 }, agent.transport.received);
    agent.transport.attach(wire, { host: '127.0.0.1' });
    return { agent, port: wire.port };
  };
  const [caller, called] = [await open(), await open()];
  const address = '127.0.0.1';
  const hangUps: (() => void)[] = [];
  const place = () =>
    caller.agent.place(
      {
        ...{ uri: `sip:bob@${address}`, from: '<sip:alice@a>', to: '<sip:bob@b>', extra: { content } },
        targets: [{ transport: 'UDP', address, port: called.port }],
      },
      {
        progress: () => undefined,
        answered: (_call, session, response) => {
          session.acknowledge(response);
          hangUps.push(() => session.hangUp());
        },
        failed: (_call, status) => expect.unreachable(`refused with ${status}`),
      },
      sessionUser,
    );
  place();
  await expect.poll(() => answered).toBe(1);
  const before = bytesInBuffers();
  const placed = Array.from({ length: calls }, place);
  await expect.poll(() => answered).toBe(calls + 1);
  // Memory of buffers is given back in the background.
  await expect.poll(() => (bytesInBuffers() - before) / calls, { interval: 200 }).toBeLessThan(mostBytesPerCall);
  expect(placed).toHaveLength(calls);
  for (const hangUp of hangUps) hangUp();
  await expect.poll(() => ended).toBe(2 * (calls + 1));
  await Promise.all([caller.agent.close(), called.agent.close()]);
});
