/** A registration that this element keeps at a registrar (RFC 3261 10.2): refreshed in time, and removed at the end. */
import type { Agent } from '../dialog/agent.ts';
import { type Account, authorize } from '../digest/client.ts';
import { SipRequest, type SipResponse } from '../message/message.ts';
import { parseNameAddress } from '../message/name-address.ts';
import { parameter } from '../message/parameters.ts';
import { SipError } from '../message/sip-error.ts';
import { parseDigits } from '../message/text.ts';
import type { Timer } from '../timers.ts';
import type { ClientTransaction, ClientUser } from '../transaction/client-transaction.ts';
import type { Target } from '../transport/wire.ts';

interface RegistrationOptions {
  /** Request-URI: the registrar's domain without a user. */
  registrar: string;
  addressOfRecord: string;
  target: Target;
  account: Account | null;
  /** Seconds to ask for. */
  expires: number;
}

interface RegistrationUser {
  /** After every success, refreshes included. */
  registered(seconds: number): void;
  /** It is tried again after a pause. */
  failed(status: number, reason: string): void;
}

const retryMs = 30_000;
/** Challenges and a longer interval; more than this is a registrar that never agrees. */
const mostAttempts = 4;

export class Registration implements ClientUser {
  readonly #agent: Agent;
  readonly #options: RegistrationOptions;
  readonly #user: RegistrationUser;
  readonly #callId: string;
  readonly #tag: string;
  #expires: number;
  #sequence = 0;
  #attempts = 0;
  #timer: Timer | null = null;
  #isRegistered = false;
  /** Set while the contact is being removed. */
  #removed: (() => void) | null = null;

  constructor(agent: Agent, options: RegistrationOptions, user: RegistrationUser) {
    this.#agent = agent;
    this.#options = options;
    this.#user = user;
    this.#callId = agent.ids.next();
    this.#tag = agent.ids.next();
    this.#expires = options.expires;
  }

  start(): void {
    this.#timer?.close();
    this.#attempts = 0;
    this.#send();
  }

  /** Removes the contact; resolves when the registrar has answered or did not in time. */
  async stop(): Promise<void> {
    this.#timer?.close();
    if (!this.#isRegistered) return;
    this.#expires = 0;
    await new Promise<void>((resolve) => {
      this.#removed = resolve;
      this.start();
    });
  }

  response(response: SipResponse, transaction: ClientTransaction): void {
    const { status } = response;
    if (status < 200) return;
    if (status < 300) return void this.#succeeded(response);
    if (status === 423) this.#raise(response);
    const mayRetry = ++this.#attempts < mostAttempts;
    if (mayRetry && status === 423) return void this.#send();
    if (mayRetry && (status === 401 || status === 407) && this.#answerChallenge(response, transaction)) return;
    this.#failed(status, response.reason);
  }

  failed(cause: 'timeout' | 'transport', _transaction: ClientTransaction, why: string): void {
    this.#failed(cause === 'timeout' ? 408 : 503, why);
  }

  #send(challenged?: SipRequest): void {
    const { target } = this.#options;
    const request = this.#request();
    if (challenged)
      for (const name of ['Authorization', 'Proxy-Authorization']) request.headers.copy(challenged.headers, name);
    this.#agent.transactions.send(request, target, this);
  }

  #request(): SipRequest {
    const { registrar, addressOfRecord, target } = this.#options;
    const request = new SipRequest('REGISTER', registrar);
    request.headers.add('Max-Forwards', '70');
    request.headers.add('From', `<${addressOfRecord}>;tag=${this.#tag}`);
    request.headers.add('To', `<${addressOfRecord}>`);
    request.headers.add('Call-ID', this.#callId);
    request.headers.add('CSeq', `${++this.#sequence} REGISTER`);
    request.headers.add('Contact', this.#agent.contact(target));
    request.headers.add('Expires', String(this.#expires));
    return request;
  }

  #answerChallenge(response: SipResponse, transaction: ClientTransaction): boolean {
    const { account } = this.#options;
    if (account === null || !authorize(transaction.request, response, account, this.#agent.ids)) return false;
    this.#send(transaction.request);
    return true;
  }

  #raise(response: SipResponse): void {
    const least = parseDigits(response.headers.first('Min-Expires') ?? '', 10);
    if (least !== null && this.#expires > 0) this.#expires = Math.max(this.#expires, least);
  }

  #succeeded(response: SipResponse): void {
    if (this.#removed) return void this.#removed();
    this.#isRegistered = true;
    const seconds = this.#granted(response);
    this.#timer = this.#agent.timers.after(seconds * 500, refresh, this);
    this.#user.registered(seconds);
  }

  /** What the registrar says of this element's contact, which it may have shortened. */
  #granted(response: SipResponse): number {
    const own = parseNameAddress(this.#agent.contact(this.#options.target)).uri;
    for (const text of response.headers.all('Contact')) {
      const contact = tryParse(text);
      const seconds = contact && parseDigits(parameter(contact.parameters, 'expires') ?? '', 10);
      if (contact?.uri === own && seconds) return seconds;
    }
    return parseDigits(response.headers.first('Expires') ?? '', 10) || this.#expires;
  }

  #failed(status: number, reason: string): void {
    if (this.#removed) return void this.#removed();
    this.#isRegistered = false;
    this.#timer = this.#agent.timers.after(retryMs, refresh, this);
    this.#user.failed(status, reason);
  }
}

function tryParse(text: string) {
  try {
    return parseNameAddress(text);
  } catch (error) {
    if (error instanceof SipError) return null;
    throw error;
  }
}

function refresh(registration: Registration): void {
  registration.start();
}
