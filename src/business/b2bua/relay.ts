/** What two answered legs say to each other: new offers, UPDATE, INFO, the ACK of a delayed offer; and transfers. */
import type { MediaLeg } from '../../engines/media/media-engine.ts';
import type { Content } from '../../engines/sip/dialog/agent.ts';
import type { Session } from '../../engines/sip/dialog/session.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../engines/sip/message/message.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { reasonValue } from './headers.ts';
import { type KeyPress, keyPressContent, keyPressIn, readKeyPress } from './key-presses.ts';
import { keepAlive } from './legs.ts';
import { NewOffers } from './new-offers.ts';
import type { Parties, Party } from './parties.ts';
import { transferPlan } from './refer.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { sdpContent, sdpOf } from './sdp.ts';
import { Transfer, type TransferHost } from './transfer.ts';

interface RelayHost extends TransferHost {
  /** Another call of the same customer in this process that the value of a Replaces names. */
  findReplaced(replaces: string): ReplacedCall | null;
  /** A transfer failed, and the called side has left already. */
  abandoned(status: number, reason: string): void;
  /** The media go on as those of another call. */
  mediaLeft(): void;
}

/** Longer ones are cut: nobody presses a key for so long. */
const longestPressMs = 5_000;

export class Relay {
  readonly #host: RelayHost;
  readonly #parties: Parties;
  readonly #offers: NewOffers;
  #transfer: Transfer | null = null;
  #transfers = 0;

  constructor(parties: Parties, host: RelayHost) {
    this.#parties = parties;
    this.#host = host;
    this.#offers = new NewOffers(parties);
  }

  /** When either side was last heard, by the endpoint's timers. */
  get heardAt(): number {
    return Math.max(...this.#sessions.map(({ dialog }) => dialog.heardAt));
  }

  isCaller(session: Session): boolean {
    return session === this.#parties.caller.session;
  }

  /** Whether the call goes on although this leg has ended: it is being transferred, or the leg was replaced. */
  survives(ended: Session): boolean {
    const { caller, callee } = this.#parties;
    if (ended === caller.session) return false;
    if (ended === callee.session) return this.#transfer !== null;
    this.#transfer?.legEnded(ended);
    return true;
  }

  /** This call, if its customer's leg has this dialog and can be replaced by a party of another call. */
  replaced(dialog: string, customer: 'caller' | 'callee'): ReplacedCall | null {
    const parties = this.#parties;
    const own = parties[customer];
    const stays = parties.other(own);
    if (own.session.dialog.key !== dialog || own.session.isEnded || stays.session.isEnded || this.#transfer)
      return null;
    const settings = parties.media.settingsOf(stays.leg);
    if (settings === undefined) return null;
    return {
      ...{ session: stays.session, settings },
      joinedBy: ({ media, party, other }) => {
        Object.assign(parties, { media, [customer]: other, [customer === 'caller' ? 'callee' : 'caller']: party });
        this.#host.mediaLeft();
        own.session.hangUp({ headers: [['Reason', reasonValue(200, 'Transferred')]] });
      },
      restore: () => void this.#restore(own, stays),
    };
  }

  hangUp(reason: string): void {
    this.#transfer?.cancel(reason);
    for (const session of this.#sessions) session.hangUp({ headers: [['Reason', reason]] });
    this.#offers.giveUp();
  }

  hangUpOther(ended: Session, reason: string): void {
    this.#offers.giveUp();
    this.#transfer?.cancel(reason);
    const party = this.#parties.of(ended);
    if (party !== null) this.#parties.other(party).session.hangUp({ headers: [['Reason', reason]] });
  }

  acknowledgeLater(session: Session, response: SipResponse): void {
    this.#offers.acknowledgeLater(session, response);
  }

  acknowledged(session: Session, ack: SipRequest): void {
    this.#guarded(this.#offers.acknowledged(session, ack));
  }

  request(session: Session, transaction: ServerTransaction): void {
    const { method } = transaction.request;
    const from = this.#parties.of(session);
    if (from === null || this.#parties.other(from).session.isEnded)
      return void transaction.reply(this.#transfer ? 491 : 481);
    if (method === 'INVITE' || method === 'UPDATE') return void this.#guarded(this.#offers.take(from, transaction));
    if (method === 'INFO' || method === 'MESSAGE') return void this.#pass(from, transaction);
    if (method === 'REFER') return void this.#refer(from, transaction);
    transaction.reply(405);
  }

  /** A key in the RTP of a party whose key presses are taken out: the other one gets it as it takes keys. */
  keyPressed(leg: MediaLeg, press: KeyPress): void {
    const { caller, callee, plan } = this.#parties;
    const from = [caller, callee].find((party) => party.leg === leg);
    if (from === undefined) return;
    if (from === callee) return void caller.leg.press(press.key, press.durationMs);
    const format = plan.keyPresses ?? 'as sent';
    if (format !== 'dtmf' && format !== 'dtmf-relay') return;
    callee.session.send('INFO', { content: keyPressContent(format, press) }, () => undefined);
  }

  get #sessions(): Session[] {
    return [this.#parties.caller.session, this.#parties.callee.session];
  }

  /**
   * Only the called side may transfer, as often as its trunk allows: what a caller wishes is not paid by the customer.
   */
  #refer(from: Party, transaction: ServerTransaction): void {
    const { request } = transaction;
    const { session } = from;
    const { caller, callee, plan: current, media } = this.#parties;
    const mayTransfer = from === callee && this.#transfer === null && this.#transfers < current.mostTransfers;
    const plan = mayTransfer
      ? transferPlan(current, request, this.#host.endpoint.targets)
      : { status: 603, reason: 'Transfers are not allowed' };
    if ('status' in plan) return void session.answer(transaction, plan.status, {}, plan.reason);
    this.#transfers++;
    const notifies = request.headers.first('Refer-Sub')?.trim().toLowerCase() !== 'false';
    const headers = [
      ['Contact', session.dialog.contact] as const,
      ...(notifies ? [] : [['Refer-Sub', 'false'] as const]),
    ];
    session.answer(transaction, 202, { headers });
    const [, replaces] = plan.headers.findLast(([name]) => name === 'Replaces') ?? [];
    const replaced = replaces === undefined ? null : this.#host.findReplaced(replaces);
    this.#transfer = new Transfer(
      this.#host,
      { plan, media, caller, referrer: session, notifies, replaced },
      {
        joined: (joined) => {
          this.#transfer = null;
          keepAlive(joined.session);
          media.drop(from.leg);
          Object.assign(this.#parties, { callee: joined, plan });
        },
        failed: (status, reason) => {
          this.#transfer = null;
          if (session.isEnded) this.#host.abandoned(status, reason);
          else this.#guarded(this.#parties.agreeAgain());
        },
      },
    );
    this.#transfer.start().catch((error: unknown) => {
      this.#host.endpoint.env.log.error({ err: error }, 'a transfer failed');
      this.#transfer?.cancel(reasonValue(500, 'Internal error'));
    });
  }

  #pass(from: Party, transaction: ServerTransaction): void {
    const { request } = transaction;
    const { plan } = this.#parties;
    const to = this.#parties.other(from);
    const headers = ['Info-Package', 'Content-Disposition'].flatMap((name) => {
      const value = request.headers.first(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const format = (from === this.#parties.caller ? plan.keyPresses : plan.receivedKeyPresses) ?? 'as sent';
    const sent = contentOf(request);
    const press = request.method === 'INFO' && format === 'in RTP' ? readKeyPress(sent) : null;
    const isPressed = press !== null && to.leg.press(press.key, Math.min(press.durationMs, longestPressMs));
    const content = request.method === 'INFO' ? keyPressIn(format, sent) : sent;
    if (isPressed || content === null) return void from.session.answer(transaction, 200);
    to.session.send(request.method, { headers, content }, (response) => {
      from.session.answer(transaction, response?.status ?? 408, response ? { content: contentOf(response) } : {});
    });
  }

  /** An attended transfer failed: the party that stays gets the customer's media again. */
  async #restore(own: Party, stays: Party): Promise<void> {
    if (stays.session.isEnded || own.described === null) return;
    const offer = await this.#parties.passed('offer', own.described, stays);
    if (offer === null) return;
    stays.session.reinvite({ content: sdpContent(offer) }, (response) => {
      if (response === null || response.status >= 300) return;
      stays.session.acknowledge(response);
      const answer = sdpOf(response);
      if (answer !== null) this.#guarded(this.#parties.passed('answer', answer, own));
    });
  }

  #guarded(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#host.endpoint.env.log.error({ err: error }, 'a description could not be passed on');
    });
  }
}

function contentOf(message: SipMessage): Content | undefined {
  const type = message.headers.first('Content-Type');
  return message.body.length > 0 && type !== undefined ? { type, body: message.body } : undefined;
}
