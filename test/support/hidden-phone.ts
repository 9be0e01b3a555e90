/**
 * A phone behind NAT: it is reached only where its packets come from. Its Contact and its session description name a
 * private address that nobody can reach.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { IncomingCall } from '../../src/engines/sip/dialog/incoming-call.ts';
import type { Session } from '../../src/engines/sip/dialog/session.ts';
import { machineIds } from '../../src/engines/sip/ids.ts';
import { Registration } from '../../src/engines/sip/registrar/registration.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { openStreamWire } from '../../src/engines/sip/transport/stream-wire.ts';
import { openUdpWire } from '../../src/engines/sip/transport/udp-wire.ts';
import type { Target } from '../../src/engines/sip/transport/wire.ts';
import { UserAgent } from '../../src/engines/sip/user-agent.ts';

const privateHost = '10.99.0.5';

export interface HiddenPhone {
  /** Methods of requests within its calls, and how each call ended. */
  readonly events: string[];
  readonly calls: IncomingCall[];
  readonly sessions: Session[];
  /** What it has heard. */
  readonly heard: Buffer[];
  /** The description of the last offer it got. */
  offer: string;
  /** Default: it rings and answers. */
  onCall(call: IncomingCall): void;
  answer(call: IncomingCall): void;
  /** Sends one packet to where the last offer asked for it. */
  speak(packet: Buffer): void;
  close(): Promise<void>;
}

interface HiddenPhoneOptions {
  username: string;
  password: string;
  transport?: 'UDP' | 'TCP';
}

/** Registers through `port` of loopback. */
export async function registerHiddenPhone(
  port: number,
  { username, password, transport = 'UDP' }: HiddenPhoneOptions,
): Promise<HiddenPhone> {
  const media = await openMedia();
  const events: string[] = [];
  const agent = new UserAgent(
    { timers: machineTimers, ids: machineIds, random: Math.random, contactUser: username },
    {
      call: (call) => {
        phone.calls.push(call);
        phone.offer = String(call.transaction.request.body);
        call.watch({ cancelled: () => void events.push('cancelled') });
        phone.onCall(call);
      },
      request: (transaction) => transaction.reply(405),
    },
  );
  const open = transport === 'UDP' ? openUdpWire : openStreamWire;
  const wire = await open({ host: '127.0.0.1', port: 0 }, agent.transport.received);
  agent.transport.attach(wire, { host: privateHost, port: 5060 });
  const phone: HiddenPhone = {
    ...{ events, calls: [], sessions: [], heard: media.heard, offer: '' },
    onCall: (call) => {
      call.progress(180);
      phone.answer(call);
    },
    answer: (call) => {
      const session = call.accept(
        { content: { type: 'application/sdp', body: description(media.port) } },
        {
          request: (one, transaction) => {
            events.push(transaction.request.method);
            one.answer(transaction, 200);
          },
          acknowledged: () => void events.push('ACK'),
          ended: (_session, cause) => void events.push(`ended ${cause}`),
        },
      );
      if (session !== null) phone.sessions.push(session);
    },
    speak: (packet) => media.socket.send(packet, Number(/m=audio (\d+)/.exec(phone.offer)?.[1]), '127.0.0.1'),
    close: async () => {
      media.socket.close();
      await agent.close();
    },
  };
  await register(agent, { transport, address: '127.0.0.1', port }, username, password);
  return phone;
}

function register(agent: UserAgent, target: Target, username: string, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    new Registration(
      agent,
      {
        ...{ registrar: 'sip:sip.test', addressOfRecord: `sip:${username}@sip.test`, expires: 300 },
        target,
        account: { username, password },
      },
      { registered: () => resolve(), failed: (status, reason) => reject(new Error(`${status} ${reason}`)) },
    ).start();
  });
}

const description = (port: number): Buffer =>
  Buffer.from(
    [
      'v=0',
      `o=- 1 1 IN IP4 ${privateHost}`,
      's=-',
      `c=IN IP4 ${privateHost}`,
      't=0 0',
      `m=audio ${port} RTP/AVP 8`,
      '',
    ].join('\r\n'),
  );

async function openMedia(): Promise<{ socket: Socket; port: number; heard: Buffer[] }> {
  const heard: Buffer[] = [];
  const socket = createSocket('udp4').on('message', (bytes) => heard.push(bytes));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { socket, port: socket.address().port, heard };
}
