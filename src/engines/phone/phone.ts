/**
 * A small SIP phone for tests and first calls. It registers or waits at its port, rings, answers, places calls, and has
 * one call at a time.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingCall } from '../sip/dialog/incoming-call.ts';
import type { OutgoingCall } from '../sip/dialog/outgoing-call.ts';
import type { Account } from '../sip/digest/client.ts';
import { machineIds } from '../sip/ids.ts';
import type { SipResponse } from '../sip/message/message.ts';
import { unquote } from '../sip/message/text.ts';
import { formatHostPort, hostOfAddress } from '../sip/message/uri.ts';
import { Registration } from '../sip/registrar/registration.ts';
import { machineTimers } from '../sip/timers.ts';
import { openStreamWire } from '../sip/transport/stream-wire.ts';
import { openUdpWire } from '../sip/transport/udp-wire.ts';
import { familyOf, type Target, type TransportName } from '../sip/transport/wire.ts';
import { UserAgent } from '../sip/user-agent.ts';
import type { Report } from './events.ts';
import { type CallBehaviour, PhoneCall } from './phone-call.ts';
import { SdpError } from './sdp.ts';

export interface PhoneSettings {
  transport: TransportName;
  /** Local address to bind. */
  host: string;
  /** 0 for any free port. */
  port: number;
  /** User of From and Contact. */
  user: string;
  account: Account | null;
  /** Where calls and registrations are sent to; null for a phone that only waits. */
  server: { target: Target; domain: string } | null;
  /** Authorities that the server's certificate may come from; the system's if absent. */
  ca?: Buffer | string;
  /** Milliseconds until an incoming call is answered; null to let it ring. */
  answerAfterMs: number | null;
  /** Refuse every call with this status. */
  reject: number | null;
  behaviour: CallBehaviour;
}

const registrationSeconds = 300;
/** How long the peer may take to answer BYE, CANCEL and the end of the registration. */
const closingMs = 2_000;
/** CANCEL and the refusal of a ringing call are sent by then; nothing is to be learned from the peer's response. */
const lastMessageMs = 200;

export class Phone {
  readonly #settings: PhoneSettings;
  readonly #report: Report;
  readonly #agent: UserAgent;
  #registration: Registration | null = null;
  #ringing: IncomingCall | null = null;
  #calling: OutgoingCall | null = null;
  #call: PhoneCall | null = null;
  /** The last call that was answered: what was heard in it can be recorded. */
  lastCall: PhoneCall | null = null;
  /** Calls that have ended, answered or not. */
  ended = 0;
  readonly #whenEnded = new Set<() => void>();

  static async open(settings: PhoneSettings, report: Report): Promise<Phone> {
    const phone = new Phone(settings, report);
    await phone.#listen();
    return phone;
  }

  private constructor(settings: PhoneSettings, report: Report) {
    this.#settings = settings;
    this.#report = report;
    this.#agent = new UserAgent(
      { timers: machineTimers, ids: machineIds, random: Math.random, contactUser: settings.user },
      { call: (call) => this.#receive(call), request: (transaction) => transaction.reply(405) },
    );
  }

  register(): void {
    const { server, user, account } = this.#settings;
    if (server === null) throw new Error('a phone without a server cannot register');
    this.#registration = new Registration(
      this.#agent,
      {
        registrar: `sip:${server.domain}`,
        addressOfRecord: `sip:${user}@${server.domain}`,
        target: server.target,
        account,
        expires: registrationSeconds,
      },
      {
        registered: (expires) => this.#report({ event: 'registered', user, expires }),
        failed: (status, reason) => this.#report({ event: 'registration_failed', status, reason }),
      },
    );
    this.#registration.start();
  }

  async call(number: string): Promise<void> {
    const { server, user, account } = this.#settings;
    if (server === null) throw new Error('a phone without a server cannot call');
    const call = await this.#openCall();
    this.#call = call;
    this.#report({ event: 'calling', to: number });
    this.#calling = this.#agent.place(
      {
        uri: `sip:${number}@${server.domain}`,
        from: `<sip:${user}@${server.domain}>`,
        to: `<sip:${number}@${server.domain}>`,
        targets: [server.target],
        account,
        extra: { content: call.leg.offer() },
      },
      {
        progress: (_call, { status, reason }) => this.#report({ event: 'progress', status, reason }),
        answered: (_call, session, response) => {
          this.#calling = null;
          session.acknowledge(response);
          this.lastCall = call;
          if (call.acceptAnswer(response.body)) call.established(session);
          else session.hangUp();
        },
        failed: (_call, status, reason, response) => {
          this.#calling = null;
          void call.leg.close();
          this.#report({ event: 'failed', status, reason, why: reasonText(response) });
          this.#callEnded();
        },
      },
      call,
    );
  }

  /** Resolves when so many calls have ended. */
  async afterCalls(count: number): Promise<void> {
    if (this.ended >= count) return;
    await new Promise<void>((resolve) => {
      this.#whenEnded.add(() => {
        if (this.ended >= count) resolve();
      });
    });
  }

  /** Ends what is under way, removes the registration, and closes the ports. */
  async close(): Promise<void> {
    const isUnanswered = this.#ringing !== null || this.#calling !== null;
    this.#ringing?.reject(480);
    this.#calling?.cancel();
    this.#call?.hangUp();
    if (isUnanswered) await sleep(lastMessageMs);
    const deadline = performance.now() + closingMs;
    const left = () => Math.max(0, deadline - performance.now());
    await Promise.race([this.#registration?.stop(), sleep(left(), undefined, { ref: false })]);
    while (this.#agent.dialogs > 0 && left() > 0) await sleep(20);
    await this.#agent.close();
  }

  async #listen(): Promise<void> {
    const { transport, host, port, ca } = this.#settings;
    const { received } = this.#agent.transport;
    const tls = { server: {}, ...(ca === undefined ? {} : { ca }) };
    const wire =
      transport === 'UDP'
        ? await openUdpWire({ host, port }, received)
        : await openStreamWire({ host, port, ...(transport === 'TLS' ? { tls } : {}) }, received);
    this.#agent.transport.attach(wire, { host });
    const at = formatHostPort({ host: hostOfAddress(host), port: wire.port });
    this.#report({ event: 'ready', contact: `sip:${this.#settings.user}@${at}` });
  }

  #openCall(): Promise<PhoneCall> {
    const { host, behaviour } = this.#settings;
    return PhoneCall.open({ host, behaviour, report: this.#report, ended: () => this.#callEnded() });
  }

  #callEnded(): void {
    this.#call = null;
    this.ended += 1;
    for (const listener of this.#whenEnded) listener();
  }

  #receive(call: IncomingCall): void {
    const { from, to } = call.transaction.request;
    if (this.#call !== null || this.#ringing !== null) return void call.reject(486);
    this.#report({ event: 'incoming', from: from.uri, to: to.uri });
    const { reject, answerAfterMs } = this.#settings;
    if (reject !== null) {
      call.reject(reject);
      return void this.#callEnded();
    }
    this.#ringing = call;
    call.progress(180);
    const timer = answerAfterMs === null ? undefined : setTimeout(() => void this.#answer(call), answerAfterMs);
    call.watch({
      cancelled: () => {
        clearTimeout(timer);
        this.#ringing = null;
        this.#report({ event: 'cancelled' });
        this.#callEnded();
      },
    });
  }

  async #answer(incoming: IncomingCall): Promise<void> {
    const call = await this.#openCall();
    const { body } = incoming.transaction.request;
    try {
      const content = body.length > 0 ? call.leg.answer(body) : call.leg.offer();
      const session = incoming.accept({ content }, call);
      if (session === null) return void call.leg.close();
      this.#ringing = null;
      this.#call = call;
      this.lastCall = call;
      call.established(session, body.length === 0);
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      void call.leg.close();
      this.#ringing = null;
      incoming.reject(488);
      this.#callEnded();
    }
  }
}

/** The text of a Reason header (RFC 3326): why a call was refused, in the words of the one that refused it. */
function reasonText(response: SipResponse | null): string | null {
  const text = /;\s*text=("(?:[^"\\]|\\.)*")/i.exec(response?.headers.first('Reason') ?? '')?.[1];
  return text === undefined ? null : unquote(text);
}

/** The address of this machine from which it reaches another. */
export async function localAddressTowards({ address, port }: Target): Promise<string> {
  const socket = createSocket(familyOf(address) === 6 ? 'udp6' : 'udp4');
  socket.connect(port, address);
  await once(socket, 'connect');
  const local = socket.address().address;
  socket.close();
  return local;
}
