/** Calls a real phone by SIP with a description of the test's own, as a media engine has written it. */
import { randomUUID } from 'node:crypto';
import type { Session } from '../../src/engines/sip/dialog/session.ts';
import { machineIds } from '../../src/engines/sip/ids.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { openUdpWire } from '../../src/engines/sip/transport/udp-wire.ts';
import { UserAgent } from '../../src/engines/sip/user-agent.ts';

const host = '127.0.0.1';

interface CalledPhone {
  /** Its description. */
  answer: Buffer;
  hangUp(): void;
  close(): Promise<void>;
}

/** Rejects with the status if the phone does not answer. */
export async function callPhone(port: number, offer: Buffer): Promise<CalledPhone> {
  const agent = new UserAgent(
    { timers: machineTimers, ids: machineIds, random: Math.random },
    { call: (call) => call.reject(486), request: (transaction) => transaction.reply(405) },
  );
  agent.transport.attach(await openUdpWire({ host, port: 0 }, agent.transport.received), { host });
  const uri = `sip:phone@${host}:${port}`;
  const { session, answer } = await new Promise<{ session: Session; answer: Buffer }>((resolve, reject) => {
    agent.place(
      {
        ...{ uri, from: `<sip:test@${host}>`, to: `<${uri}>`, callId: randomUUID() },
        targets: [{ transport: 'UDP', address: host, port }],
        extra: { content: { type: 'application/sdp', body: offer } },
      },
      {
        progress: () => undefined,
        answered: (_call, session, response) => {
          session.acknowledge(response);
          resolve({ session, answer: response.body });
        },
        failed: (_call, status, reason) => reject(new Error(`${status} ${reason}`)),
      },
      {
        request: (_session, transaction) => transaction.reply(200),
        acknowledged: () => undefined,
        ended: () => undefined,
      },
    );
  });
  return { answer, hangUp: () => session.hangUp(), close: () => agent.close() };
}
