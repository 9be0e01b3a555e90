/** What two answered legs say to each other: new offers, UPDATE, INFO, the ACK of a delayed offer; and transfers. */
import type { Content, Extra } from '../../engines/sip/dialog/agent.ts';
import type { Session } from '../../engines/sip/dialog/session.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../engines/sip/message/message.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import type { DialPlan } from './dial-plan.ts';
import { reasonValue } from './headers.ts';
import { keyPressIn } from './key-presses.ts';
import { keepAlive } from './legs.ts';
import { transferPlan } from './refer.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { sdpContent, sdpOf } from './sdp.ts';
import { Transfer, type TransferHost } from './transfer.ts';

/** A 2xx of one leg that is acknowledged when the other leg's ACK has brought the answer. */
interface Awaited {
  session: Session;
  response: SipResponse;
}

interface RelayHost extends TransferHost {
  /** Another call of the same customer in this process that the value of a Replaces names. */
  findReplaced(replaces: string): ReplacedCall | null;
  /** A transfer failed, and the called side has left already. */
  abandoned(status: number, reason: string): void;
}

export class Relay {
  readonly #host: RelayHost;
  /** What each side described last. */
  readonly #media = new Map<Session, Buffer>();
  #plan: DialPlan;
  #transfer: Transfer | null = null;
  #transfers = 0;
  #caller: Session | null = null;
  #callee: Session | null = null;
  #awaited: Awaited | null = null;

  constructor(plan: DialPlan, host: RelayHost) {
    this.#plan = plan;
    this.#host = host;
  }

  /**
   * `offer` is what the caller offered, null for a delayed offer; `media` is what the called side described in its
   * answer.
   */
  join(caller: Session, callee: Session, offer: Buffer | null, media: Buffer | null): void {
    this.#caller = caller;
    this.#callee = callee;
    if (offer !== null) this.#media.set(caller, offer);
    if (media !== null) this.#media.set(callee, media);
  }

  /** When either side was last heard, by the endpoint's timers. */
  get heardAt(): number {
    return Math.max(this.#caller?.dialog.heardAt ?? 0, this.#callee?.dialog.heardAt ?? 0);
  }

  isCaller(session: Session): boolean {
    return session === this.#caller;
  }

  /** Whether the call goes on although this leg has ended: it is being transferred, or the leg was replaced. */
  survives(ended: Session): boolean {
    if (ended === this.#caller) return false;
    if (ended === this.#callee) return this.#transfer !== null;
    this.#transfer?.legEnded(ended);
    return true;
  }

  /** This call, if its customer's leg has this dialog and can be replaced by a party of another call. */
  replaced(dialog: string, customer: 'caller' | 'callee'): ReplacedCall | null {
    const [leg, stays] = customer === 'caller' ? [this.#caller, this.#callee] : [this.#callee, this.#caller];
    if (leg?.dialog.key !== dialog || stays === null || leg.isEnded || stays.isEnded || this.#transfer) return null;
    const media = this.#media.get(leg);
    return {
      session: stays,
      joinedBy: (session) => {
        if (customer === 'caller') this.#caller = session;
        else this.#callee = session;
        this.#media.delete(leg);
        leg.hangUp({ headers: [['Reason', reasonValue(200, 'Transferred')]] });
      },
      restore: () => {
        if (stays.isEnded || media === undefined) return;
        stays.reinvite({ content: sdpContent(media) }, (response) => {
          if (response && response.status < 300) stays.acknowledge(response);
        });
      },
    };
  }

  hangUp(reason: string): void {
    this.#transfer?.cancel(reason);
    for (const session of [this.#caller, this.#callee]) session?.hangUp({ headers: [['Reason', reason]] });
    this.#giveUpAwaited();
  }

  hangUpOther(ended: Session, reason: string): void {
    this.#giveUpAwaited();
    this.#transfer?.cancel(reason);
    this.#other(ended)?.hangUp({ headers: [['Reason', reason]] });
  }

  acknowledgeLater(session: Session, response: SipResponse): void {
    this.#awaited = { session, response };
  }

  acknowledged(session: Session, ack: SipRequest): void {
    const awaited = this.#awaited;
    if (awaited === null || awaited.session === session) return;
    this.#awaited = null;
    const answer = sdpOf(ack);
    // What a leg that was replaced has still to say concerns nobody.
    if (awaited.session !== this.#caller && awaited.session !== this.#callee) return;
    const content = answer && this.#passed(answer, awaited.session);
    awaited.session.acknowledge(awaited.response, content ? sdpContent(content) : undefined);
  }

  request(session: Session, transaction: ServerTransaction): void {
    const { method } = transaction.request;
    if (session !== this.#caller && session !== this.#callee) return void transaction.reply(this.#transfer ? 491 : 481);
    const other = this.#other(session);
    if (!other || other.isEnded) return void transaction.reply(this.#transfer ? 491 : 481);
    if (method === 'INVITE') return void this.#reinvite(session, other, transaction);
    if (method === 'UPDATE') return void this.#update(session, other, transaction);
    if (method === 'INFO' || method === 'MESSAGE') return void this.#pass(session, other, transaction);
    if (method === 'REFER') return void this.#refer(session, other, transaction);
    transaction.reply(405);
  }

  /**
   * Only the called side may transfer, as often as its trunk allows: what a caller wishes is not paid by the customer.
   */
  #refer(session: Session, caller: Session, transaction: ServerTransaction): void {
    const { request } = transaction;
    const mayTransfer =
      session === this.#callee && this.#transfer === null && this.#transfers < this.#plan.mostTransfers;
    const plan = mayTransfer
      ? transferPlan(this.#plan, request, this.#host.endpoint.targets)
      : { status: 603, reason: 'Transfers are not allowed' };
    if ('status' in plan) return void session.answer(transaction, plan.status, {}, plan.reason);
    this.#transfers++;
    const notifies = request.headers.first('Refer-Sub')?.trim().toLowerCase() !== 'false';
    const headers = [
      ['Contact', session.dialog.contact] as const,
      ...(notifies ? [] : [['Refer-Sub', 'false'] as const]),
    ];
    session.answer(transaction, 202, { headers });
    const callerMedia = this.#media.get(caller) ?? null;
    const [, replaces] = plan.headers.findLast(([name]) => name === 'Replaces') ?? [];
    const replaced = replaces === undefined ? null : this.#host.findReplaced(replaces);
    this.#transfer = new Transfer(
      this.#host,
      { plan, caller, callerMedia, referrer: session, notifies, replaced },
      {
        joined: (joined, newPlan, media) => {
          this.#transfer = null;
          this.#callee = joined;
          keepAlive(joined);
          this.#plan = newPlan;
          this.#media.delete(session);
          if (media !== null) this.#media.set(caller, media);
        },
        failed: (status, reason) => {
          this.#transfer = null;
          if (session.isEnded) this.#host.abandoned(status, reason);
        },
      },
    );
    this.#transfer.start().catch((error: unknown) => {
      this.#host.endpoint.env.log.error({ err: error }, 'a transfer failed');
      this.#transfer?.cancel(reasonValue(500, 'Internal error'));
    });
  }

  /** A new offer, or the wish for one. What the other side refuses leaves the media as they were. */
  #reinvite(session: Session, other: Session, transaction: ServerTransaction): void {
    const offer = sdpOf(transaction.request);
    const passed = offer && this.#passed(offer, other);
    if (offer && !passed) return void session.answer(transaction, 488);
    other.reinvite({ content: passed ? sdpContent(passed) : undefined }, (response) => {
      if (session.isEnded || response === null || response.status >= 300) {
        if (response && response.status < 300) other.acknowledge(response);
        return void session.answer(transaction, refusalOf(response));
      }
      const answer = contentFor(response, (sdp) => this.#passed(sdp, session));
      if (offer === null) this.#awaited = { session: other, response };
      else other.acknowledge(response);
      session.answer(transaction, 200, answer);
    });
  }

  /** A peer without UPDATE gets the offer by re-INVITE. */
  #update(session: Session, other: Session, transaction: ServerTransaction): void {
    const offer = sdpOf(transaction.request);
    const passed = offer && this.#passed(offer, other);
    if (!passed) return void session.answer(transaction, 488);
    const finished = (response: SipResponse | null) => {
      if (response === null || response.status >= 300) return void session.answer(transaction, refusalOf(response));
      session.answer(
        transaction,
        200,
        contentFor(response, (sdp) => this.#passed(sdp, session)),
      );
    };
    const extra = { content: sdpContent(passed) };
    if (other.peerAllowsUpdate) return void other.send('UPDATE', extra, finished);
    other.reinvite(extra, (response) => {
      if (response && response.status < 300) other.acknowledge(response);
      finished(response);
    });
  }

  #pass(session: Session, other: Session, transaction: ServerTransaction): void {
    const { request } = transaction;
    const headers = ['Info-Package', 'Content-Disposition'].flatMap((name) => {
      const value = request.headers.first(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const { keyPresses, receivedKeyPresses } = this.#plan;
    const format = (other === this.#callee ? keyPresses : receivedKeyPresses) ?? 'as sent';
    const content = request.method === 'INFO' ? keyPressIn(format, contentOf(request)) : contentOf(request);
    if (content === null) return void session.answer(transaction, 200);
    other.send(request.method, { headers, content }, (response) => {
      session.answer(transaction, response?.status ?? 408, response ? { content: contentOf(response) } : {});
    });
  }

  /** A description on its way to one of the legs: the codec rule is the called side's. */
  #passed(sdp: Buffer, to: Session): Buffer | null {
    const from = this.#other(to);
    if (from !== null) this.#media.set(from, sdp);
    const passed = to === this.#callee ? this.#plan.toPeer(sdp) : (this.#plan.refusalFromPeer(sdp) ?? sdp);
    return typeof passed === 'string' ? null : passed;
  }

  #giveUpAwaited(): void {
    const awaited = this.#awaited;
    this.#awaited = null;
    awaited?.session.acknowledge(awaited.response);
  }

  #other(session: Session): Session | null {
    return session === this.#caller ? this.#callee : this.#caller;
  }
}

const refusalOf = (response: SipResponse | null): number =>
  response && response.status >= 300 ? response.status : 408;

function contentFor(response: SipResponse, pass: (sdp: Buffer) => Buffer | null): Extra {
  const sdp = sdpOf(response);
  const passed = sdp && pass(sdp);
  return passed ? { content: sdpContent(passed) } : {};
}

function contentOf(message: SipMessage): Content | undefined {
  const type = message.headers.first('Content-Type');
  return message.body.length > 0 && type !== undefined ? { type, body: message.body } : undefined;
}
