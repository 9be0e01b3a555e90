/** Keeps a session's timer (RFC 4028): sends the refresh, or ends the session when the peer's does not come. */
import type { SipResponse } from '../message/message.ts';
import type { Timer, Timers } from '../timers.ts';
import type { Content, Extra } from './agent.ts';
import type { Finished } from './dialog-request.ts';
import { minSe, nextActionMs, type SessionTimer, timerOfResponse } from './session-timer.ts';

/** The session as its refresh sees it. */
interface RefreshedSession {
  readonly isEnded: boolean;
  readonly lastContent: Content | undefined;
  readonly peerAllowsUpdate: boolean;
  send(method: string, extra: Extra, finished: Finished): void;
  reinvite(extra: Extra, finished: Finished): void;
  acknowledge(response: SipResponse): void;
  end(cause: 'expired'): void;
}

export class SessionRefresh {
  readonly #timers: Timers;
  readonly #session: RefreshedSession;
  #agreed: SessionTimer | null = null;
  #timer: Timer | null = null;

  constructor(timers: Timers, session: RefreshedSession) {
    this.#timers = timers;
    this.#session = session;
  }

  /** Starts anew with what was agreed last; null stops it. */
  use(agreed: SessionTimer | null): void {
    this.#timer?.close();
    this.#agreed = agreed;
    this.#timer = agreed && this.#timers.after(nextActionMs(agreed), act, this);
  }

  act(): void {
    if (this.#session.isEnded || !this.#agreed) return;
    if (this.#agreed.refreshes) this.#send(this.#agreed.seconds);
    else this.#session.end('expired');
  }

  /** UPDATE needs no offer; a peer without it gets a re-INVITE with the offer as it stands. */
  #send(seconds: number): void {
    const headers = [
      ['Supported', 'timer'],
      ['Session-Expires', `${seconds};refresher=uac`],
      ['Min-SE', String(seconds)],
    ] as const;
    const finished: Finished = (response) => this.#finished(response);
    if (this.#session.peerAllowsUpdate) return void this.#session.send('UPDATE', { headers }, finished);
    const acknowledged: Finished = (response) => {
      if (response && response.status < 300) this.#session.acknowledge(response);
      this.#finished(response);
    };
    this.#session.reinvite({ headers, content: this.#session.lastContent }, acknowledged);
  }

  /** After a refusal the session lasts until its time is over; 422 is tried again with what the peer demands. */
  #finished(response: SipResponse | null): void {
    if (this.#session.isEnded || !response || !this.#agreed) return;
    const { seconds } = this.#agreed;
    if (response.status < 300) this.use(timerOfResponse(response) ?? { seconds, refreshes: true });
    else if (response.status === 422) this.#send(Math.max(seconds, minSe(response)));
    else this.use({ seconds: seconds / 2, refreshes: false });
  }
}

function act(refresh: SessionRefresh): void {
  refresh.act();
}
