/** A switchboard on loopback with numbers, trunks and carriers, and phones that call it and are called by it. */
import { randomUUID } from 'node:crypto';
import {
  createTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../../test/support/environment.ts';
import { createTelephony, type Telephony } from '../../../test/support/telephony.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { EmbeddedEngine } from '../../engines/media/embedded/embedded-engine.ts';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import type { Content } from '../../engines/sip/dialog/agent.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { OutgoingCall, OutgoingOptions } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import { machineIds } from '../../engines/sip/ids.ts';
import type { SipRequest, SipResponse } from '../../engines/sip/message/message.ts';
import type { Resolver } from '../../engines/sip/resolve/resolver.ts';
import { machineTimers, type Timers } from '../../engines/sip/timers.ts';
import { openStreamWire, type TlsOptions } from '../../engines/sip/transport/stream-wire.ts';
import { openUdpWire } from '../../engines/sip/transport/udp-wire.ts';
import { openClientWire } from '../../engines/sip/transport/web-socket-client.fixture.ts';
import type { TransportName, Wire } from '../../engines/sip/transport/wire.ts';
import { UserAgent } from '../../engines/sip/user-agent.ts';
import { type Voice, voiceOf } from '../voice/voice.ts';
import { type CallRecords, callRecords, withEvents } from './call-records.fixture.ts';
import { dialPolicy } from './dial-policy.ts';
import { SipEndpoint, type SipListeningPorts } from './endpoint.ts';
import type { SipConfig } from './sip-settings.ts';
import { Switchboard } from './switchboard.ts';
import type { RefusedRequest } from './tap.ts';
import { traceTap } from './trace-tap.ts';

const everywhere = addressPolicy({ allowEverything: true, allowedRanges: [] });
const sipConfig = {
  ...{ hosts: ['127.0.0.1', '::1'], advertised: [], certificateFile: null, keyFile: null, authoritiesFile: null },
  callsPerSecond: 1_000,
  edges: [],
};

/** Its thread starts with the first call. */
const embeddedMedia = (timers = machineTimers): MediaEngine =>
  new EmbeddedEngine({ ports: null, addresses: sipConfig.hosts, threads: 1, timers, log: () => undefined });

export const sdp = (
  payloads = '0 8 101',
  lines: readonly string[] = ['a=rtpmap:101 telephone-event/8000'],
): Content => ({
  type: 'application/sdp',
  body: Buffer.from(
    `${['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio 4000 RTP/AVP ${payloads}`, ...lines].join('\r\n')}\r\n`,
  ),
});

/** As a browser describes itself, which then never sends anything. */
const browserSdp = (setup: 'actpass' | 'active'): Content => {
  const { type, body } = sdp('0 101', [
    ...['a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000', 'a=rtcp-mux', 'a=mid:0'],
    ...['a=ice-ufrag:abcd', `a=ice-pwd:${'p'.repeat(24)}`, `a=setup:${setup}`],
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  ]);
  return { type, body: Buffer.from(body.toString().replace('RTP/AVP', 'UDP/TLS/RTP/SAVPF')) };
};

export interface Phone {
  readonly port: number;
  readonly agent: UserAgent;
  /** What its legs were told, in order. */
  readonly events: string[];
  readonly invites: SipRequest[];
  readonly calls: IncomingCall[];
  readonly sessions: Session[];
  readonly responses: SipResponse[];
  readonly requests: SipRequest[];
  /** What happens to a call that arrives; default: it rings and is answered. */
  onCall: (call: IncomingCall) => void;
  /** Whether it agrees to new offers within a call; otherwise they are 488. */
  answersOffers: boolean;
  /** Its answer to such an offer. */
  answerTo: (offer: SipRequest) => Content;
  answer(call: IncomingCall, content?: Content): Session | null;
  /** Calls a number through the switchboard. */
  dial(number: string, options?: Partial<OutgoingOptions>, ackContent?: Content): OutgoingCall;
  close(): Promise<void>;
}

export interface PhoneOptions {
  host?: '127.0.0.1' | '::1';
  /** What it shows and checks over TLS; its port is that of TLS then. */
  tls?: TlsOptions;
  /** Connects to this address by WebSocket, with these headers, and listens nowhere. */
  webSocket?: { url: string; headers?: Readonly<Record<string, string>> };
  /** Behind NAT: the address that it names in Contact and Via, which nobody can reach. */
  hiddenAt?: string;
}

export interface World extends CallRecords {
  readonly world: TestEnvironment;
  readonly telephony: Telephony;
  readonly endpoint: SipEndpoint;
  readonly switchboard: Switchboard;
  readonly voice: Voice;
  readonly refused: RefusedRequest[];
  phone(options?: PhoneOptions): Promise<Phone>;
  /** A number whose calls go to these ports of loopback, in this order. */
  number(ports: readonly number[], sip?: object, columns?: object): Promise<{ accountId: string; number: string }>;
  close(): Promise<void>;
}

/** Each option is as the endpoint and the switchboard have it. */
interface WorldOptions extends Pick<TestEnvironmentOptions, 'calls' | 'outbound' | 'publicUrl'> {
  /** Absent, the embedded engine; null lets media flow past it. */
  media?: MediaEngine | null;
  timers?: Timers;
  resolver?: Resolver;
  /** Members of the SIP settings that differ from the usual ones. */
  sip?: Partial<SipConfig>;
  tlsPort?: number | null;
  answersItself?: boolean;
  /** In production a call from loopback is a stranger's. */
  name?: EnvironmentName;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { name = 'sandbox', calls = {}, outbound, publicUrl = null } = options;
  const world = await createTestEnvironment({ name, calls, publicUrl, ...(outbound && { outbound }) });
  const { env } = world;
  const telephony = withEvents(env, await createTelephony(env));
  const voice = await voiceOf(env);
  const { timers, resolver, sip, tlsPort = null, answersItself = false } = options;
  const media = options.media === undefined ? embeddedMedia(timers) : options.media;
  const endpoint = new SipEndpoint(env, {
    media,
    ...{ policy: dialPolicy('sandbox', everywhere), callsPerSecond: 1_000 },
    ...(timers && { timers }),
    ...(resolver && { resolver }),
  });
  await endpoint.listen({ ...sipConfig, ...sip }, { port: 0, isChosen: true, tlsPort });
  const switchboard = new Switchboard(endpoint, voice, { answersItself });
  endpoint.takeCalls(switchboard);
  const refused: RefusedRequest[] = [];
  endpoint.taps.add(traceTap(voice.recorder));
  endpoint.taps.add({ refused: (request) => refused.push(request) });
  const phones: Phone[] = [];
  return {
    ...{ ...callRecords(env), world, telephony, endpoint, switchboard, voice, refused },
    phone: async (phoneOptions = {}) => {
      const made = await openPhone(endpoint.ports, phoneOptions);
      phones.push(made);
      return made;
    },
    number: async (ports, sip = {}, columns = {}) => {
      const accountId = await telephony.account();
      const group = await telephony.trunkGroup(accountId);
      for (const [index, port] of ports.entries()) {
        await telephony.trunk(
          accountId,
          { priority: index, voice_in_trunk_group_id: group, ...columns },
          {
            host: '127.0.0.1',
            port,
            codec_ids: [9, 10, 6],
            rerouting_disconnect_code_ids: [90, 64, 100, 1505],
            ...sip,
          },
        );
      }
      const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: group });
      return { accountId, number };
    },
    close: async () => {
      switchboard.stop();
      await Promise.all(phones.map((one) => one.close()));
      await endpoint.stop();
      await media?.stop();
      await voice.stop();
      await world.close();
    },
  };
}

async function openPhone(
  ports: SipListeningPorts,
  { host = '127.0.0.1', tls, webSocket, hiddenAt }: PhoneOptions,
): Promise<Phone> {
  const events: string[] = [];
  const lists = { events, invites: [], calls: [], sessions: [], responses: [], requests: [] } as Pick<
    Phone,
    'events' | 'invites' | 'calls' | 'sessions' | 'responses' | 'requests'
  >;
  const sessionUser: SessionUser = {
    request: (session, transaction) => {
      events.push(transaction.request.method);
      lists.requests.push(transaction.request);
      const isOffer = transaction.request.method === 'INVITE' || transaction.request.method === 'UPDATE';
      if (isOffer && !phone.answersOffers) return void session.answer(transaction, 488);
      session.answer(transaction, 200, isOffer ? { content: phone.answerTo(transaction.request) } : {});
    },
    acknowledged: (_session, ack) => {
      events.push('ack');
      lists.requests.push(ack);
    },
    ended: (_session, cause, bye) => {
      events.push(`ended ${cause}`);
      if (bye) lists.requests.push(bye);
    },
  };
  const agent = new UserAgent(
    { timers: machineTimers, ids: machineIds, random: Math.random },
    {
      call: (call) => {
        lists.invites.push(call.transaction.request);
        lists.calls.push(call);
        call.watch({ cancelled: () => void events.push('cancelled') });
        phone.onCall(call);
      },
      request: (transaction) => transaction.reply(405),
    },
  );
  const wires = webSocket
    ? [await openClientWire(webSocket.url, agent.transport.received, webSocket.headers)]
    : tls
      ? [await openStreamWire({ host, port: 0, tls }, agent.transport.received)]
      : await openOnOnePort(agent, host);
  const hidden = webSocket ? `${randomUUID()}.invalid` : hiddenAt;
  for (const wire of wires)
    agent.transport.attach(wire, hidden === undefined ? { host } : { host: hidden, port: 5060 });
  const phone: Phone = {
    ...{ ...lists, agent, port: wires[0]?.port ?? 0, answersOffers: true, answerTo: () => sdp('0') },
    onCall: (call) => {
      call.progress(180);
      phone.answer(call);
    },
    answer: (call, content = webSocket ? browserSdp('active') : sdp('0')) => {
      const session = call.accept({ content }, sessionUser);
      if (session) lists.sessions.push(session);
      return session;
    },
    dial: (number, options = {}, ackContent) => {
      const transport: TransportName = options.targets?.[0]?.transport ?? (webSocket ? 'WS' : tls ? 'TLS' : 'UDP');
      const port = (transport === 'TLS' ? ports.tls : ports.udp) ?? 0;
      return agent.place(
        {
          uri: `sip:${number}@127.0.0.1`,
          from: '"Ann" <sip:+442071234567@127.0.0.1>',
          to: `<sip:${number}@127.0.0.1>`,
          targets: [{ transport, address: host, port, ...(tls && { serverName: 'sip.test' }) }],
          callId: randomUUID(),
          extra: { content: webSocket ? browserSdp('actpass') : sdp() },
          ...options,
        },
        {
          progress: (_call, response) => {
            events.push(String(response.status));
            lists.responses.push(response);
          },
          answered: (_call, session, response) => {
            events.push('answered');
            lists.responses.push(response);
            lists.sessions.push(session);
            session.acknowledge(response, ackContent);
          },
          failed: (_call, status, _reason, response) => {
            events.push(`failed ${status}`);
            if (response) lists.responses.push(response);
          },
        },
        sessionUser,
      );
    },
    close: () => agent.close(),
  };
  return phone;
}

/** UDP and TCP on the same port. The one that is free for UDP may be taken for TCP; then another is tried. */
async function openOnOnePort(agent: UserAgent, host: string): Promise<[Wire, Wire]> {
  for (;;) {
    const wire = await openUdpWire({ host, port: 0 }, agent.transport.received);
    const stream = await openStreamWire({ host, port: wire.port }, agent.transport.received).catch(() => null);
    if (stream !== null) return [wire, stream];
    await wire.close();
  }
}
