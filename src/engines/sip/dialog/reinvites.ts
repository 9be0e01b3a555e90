/**
 * The re-INVITEs that one end of a session sends: one at a time, after glare again, and never before the ACK of a 2xx.
 */
import type { SipResponse } from '../message/message.ts';
import type { Agent, Extra } from './agent.ts';
import type { DialogRequest, Finished } from './dialog-request.ts';

/** The session as its re-INVITEs see it. */
export interface ReinvitingSession {
  readonly isEnded: boolean;
  /** An INVITE of the peer has not been answered yet. */
  readonly isInvited: boolean;
  /** A 2xx was sent whose ACK has not come yet. */
  readonly awaitsAck: boolean;
  sendRequest(method: string, extra: Extra, finished: Finished): DialogRequest;
  acknowledge(response: SipResponse): void;
  /** Takes over what a 2xx says about the dialog and its timer. */
  agree(response: SipResponse): void;
  endIfLost(response: SipResponse | null): void;
}

interface Waiting {
  extra: Extra;
  finished: Finished;
  retries: number;
}

const mostGlareRetries = 4;

export class Reinvites {
  readonly #agent: Agent;
  readonly #session: ReinvitingSession;
  /** This end sent the INVITE and so owns the Call-ID (RFC 3261 14.1). */
  readonly #isCaller: boolean;
  #current: DialogRequest | null = null;
  readonly #waitingForAck: Waiting[] = [];

  constructor(agent: Agent, session: ReinvitingSession, isCaller: boolean) {
    this.#agent = agent;
    this.#session = session;
    this.#isCaller = isCaller;
  }

  get isPending(): boolean {
    return this.#current !== null;
  }

  send(extra: Extra, finished: Finished): void {
    this.#send({ extra, finished, retries: 0 });
  }

  /** The ACK of the last 2xx has come: what waited for it is sent. */
  acknowledged(): void {
    for (const waiting of this.#waitingForAck.splice(0)) this.#send(waiting);
  }

  /** The session has ended: nothing new is sent, and what is pending waits no longer than a transaction may. */
  end(): void {
    this.#current?.expectFinal();
    for (const { finished } of this.#waitingForAck.splice(0)) finished(null, 0);
  }

  #send(invite: Waiting): void {
    const session = this.#session;
    if (session.isEnded) return void invite.finished(null, 0);
    if (this.#current || session.isInvited) return void this.#retry(invite);
    // Sent earlier it could overtake the 2xx, and the peer would not know the dialog yet.
    if (session.awaitsAck) return void this.#waitingForAck.push(invite);
    const { extra, finished, retries } = invite;
    this.#current = session.sendRequest('INVITE', extra, (response, sequence) => {
      this.#current = null;
      if (response?.status === 491 && retries < mostGlareRetries) return void this.#retry(invite);
      if (response && response.status < 300) session.agree(response);
      if (session.isEnded && response && response.status < 300) session.acknowledge(response);
      else finished(response, sequence);
      session.endIfLost(response);
    });
  }

  /** Whoever owns the Call-ID waits longer, so the two ends do not collide again. */
  #retry({ extra, finished, retries }: Waiting): void {
    const pause = this.#isCaller ? 2_100 + this.#agent.random() * 1_900 : this.#agent.random() * 2_000;
    const again = (reinvites: Reinvites): void => reinvites.#send({ extra, finished, retries: retries + 1 });
    this.#agent.timers.after(pause, again, this);
  }
}
