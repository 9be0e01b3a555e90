/** New offers within an answered call: re-INVITE and UPDATE of one party for the other, one at a time. */
import type { Session } from '../../engines/sip/dialog/session.ts';
import type { SipRequest, SipResponse } from '../../engines/sip/message/message.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import type { Parties, Party } from './parties.ts';
import { sdpContent, sdpOf } from './sdp.ts';

/** A 2xx of one leg that is acknowledged when the other leg's ACK has brought the answer. */
interface Awaited {
  session: Session;
  response: SipResponse;
}

export class NewOffers {
  readonly #parties: Parties;
  #awaited: Awaited | null = null;
  #isPending = false;

  constructor(parties: Parties) {
    this.#parties = parties;
  }

  acknowledgeLater(session: Session, response: SipResponse): void {
    this.#awaited = { session, response };
  }

  /** Of a 2xx that waits for an answer: nobody will give one. */
  giveUp(): void {
    const awaited = this.#awaited;
    this.#awaited = null;
    awaited?.session.acknowledge(awaited.response);
  }

  async acknowledged(session: Session, ack: SipRequest): Promise<void> {
    const awaited = this.#awaited;
    if (awaited === null || awaited.session === session) return;
    this.#awaited = null;
    const to = this.#parties.of(awaited.session);
    // What a leg that was replaced has still to say concerns nobody.
    if (to === null) return;
    const answer = sdpOf(ack);
    const passed = answer && (await this.#parties.passed('answer', answer, to));
    awaited.session.acknowledge(awaited.response, passed ? sdpContent(passed) : undefined);
  }

  /** Two offers that meet here are glare, as if they had met on the way (RFC 3261 14.2). */
  async take(from: Party, transaction: ServerTransaction): Promise<void> {
    if (this.#isPending) return void from.session.answer(transaction, 491);
    this.#isPending = true;
    try {
      if (transaction.request.method === 'INVITE') await this.#reinvite(from, transaction);
      else await this.#update(from, transaction);
    } finally {
      this.#isPending = false;
    }
  }

  /** A new offer, or the wish for one. What the other side refuses leaves the media as they were. */
  async #reinvite(from: Party, transaction: ServerTransaction): Promise<void> {
    const offer = sdpOf(transaction.request);
    const to = this.#parties.other(from);
    const former = from.described;
    const passed = offer && (await this.#parties.passed('offer', offer, to));
    if (offer && !passed) return void from.session.answer(transaction, 488);
    const response = await reinvited(to.session, passed);
    if (from.session.isEnded || response === null || response.status >= 300) {
      if (response && response.status < 300) to.session.acknowledge(response);
      if (offer) this.#parties.refused(from, former);
      return void from.session.answer(transaction, refusalOf(response));
    }
    if (offer === null) this.#awaited = { session: to.session, response };
    else to.session.acknowledge(response);
    await this.#answer(from, transaction, response, offer === null ? 'offer' : 'answer');
  }

  /** A peer without UPDATE gets the offer by re-INVITE. */
  async #update(from: Party, transaction: ServerTransaction): Promise<void> {
    const offer = sdpOf(transaction.request);
    const to = this.#parties.other(from);
    const former = from.described;
    const passed = offer && (await this.#parties.passed('offer', offer, to));
    if (!passed) return void from.session.answer(transaction, 488);
    const response = to.session.peerAllowsUpdate
      ? await updated(to.session, passed)
      : await reinvited(to.session, passed);
    const isAnswered = response !== null && response.status < 300;
    if (isAnswered && !to.session.peerAllowsUpdate) to.session.acknowledge(response);
    if (!isAnswered) {
      this.#parties.refused(from, former);
      return void from.session.answer(transaction, refusalOf(response));
    }
    await this.#answer(from, transaction, response, 'answer');
  }

  async #answer(
    from: Party,
    transaction: ServerTransaction,
    response: SipResponse,
    kind: 'offer' | 'answer',
  ): Promise<void> {
    const sdp = sdpOf(response);
    const passed = sdp && (await this.#parties.passed(kind, sdp, from));
    from.session.answer(transaction, 200, passed ? { content: sdpContent(passed) } : {});
  }
}

const refusalOf = (response: SipResponse | null): number =>
  response && response.status >= 300 ? response.status : 408;

/** Resolves with the final response; null if there was none. */
export const reinvited = (session: Session, offer: Buffer | null): Promise<SipResponse | null> =>
  new Promise((resolve) => {
    session.reinvite({ content: offer ? sdpContent(offer) : undefined }, (response) => resolve(response));
  });

const updated = (session: Session, offer: Buffer): Promise<SipResponse | null> =>
  new Promise((resolve) => {
    session.send('UPDATE', { content: sdpContent(offer) }, (response) => resolve(response));
  });
