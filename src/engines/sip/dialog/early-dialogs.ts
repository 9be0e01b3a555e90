/** The early dialogs of one INVITE: a forking callee makes several, each with its own tag and reliable provisionals. */
import type { SipResponse } from '../message/message.ts';
import { parseDigits } from '../message/text.ts';
import type { ClientTransaction } from '../transaction/client-transaction.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import { type Agent, type Content, type DialogUser, describeAgent } from './agent.ts';
import { type Dialog, dialogOfResponse } from './dialog.ts';
import { DialogRequest } from './dialog-request.ts';

interface Early {
  dialog: Dialog;
  /** RSeq of the last reliable response. */
  sequence: number | null;
}

export class EarlyDialogs {
  readonly #agent: Agent;
  readonly #byTag = new Map<string, Early>();

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  find(tag: string): Dialog | undefined {
    return this.#byTag.get(tag)?.dialog;
  }

  /**
   * The dialog of a provisional response: null without a tag, `repeated` for a reliable one that was seen or is out of
   * order.
   */
  receive(transaction: ClientTransaction, response: SipResponse): Dialog | null | 'repeated' {
    if (response.toTag === '') return null;
    const early = this.#byTag.get(response.toTag) ?? this.#add(transaction, response);
    const sequence = parseDigits(response.headers.first('RSeq') ?? '', 10);
    if (sequence === null || !response.headers.lists('Require', '100rel')) return early.dialog;
    // RFC 3262 4: the next one in order, or the first.
    if (early.sequence !== null && sequence !== early.sequence + 1) return 'repeated';
    early.sequence = sequence;
    return early.dialog;
  }

  /** RAck names the number of this leg's INVITE, whatever the other leg's was. */
  prack(dialog: Dialog, response: SipResponse, content?: Content): void {
    const rack = `${response.headers.first('RSeq')} ${response.cseq.number} INVITE`;
    const extra = { content, headers: [['RAck', rack]] as const };
    new DialogRequest({
      agent: this.#agent,
      dialog,
      method: 'PRACK',
      extra,
      account: null,
      finished: () => undefined,
    }).send();
  }

  /** The early dialog that a 2xx confirms, with the route and target of the 2xx. The others are ended. */
  take(tag: string, transaction: ClientTransaction, response: SipResponse): Dialog | null {
    const early = this.#byTag.get(tag);
    this.end();
    if (!early) return null;
    const confirmed = dialogOfResponse(transaction.request, response, transaction.target);
    confirmed.localSequence = early.dialog.localSequence;
    confirmed.remoteSequence = early.dialog.remoteSequence;
    return confirmed;
  }

  end(): void {
    for (const { dialog } of this.#byTag.values()) this.#agent.removeDialog(dialog);
    this.#byTag.clear();
  }

  #add(transaction: ClientTransaction, response: SipResponse): Early {
    const dialog = dialogOfResponse(transaction.request, response, transaction.target);
    const early: Early = { dialog, sequence: null };
    this.#byTag.set(response.toTag, early);
    this.#agent.addDialog(dialog, new EarlyRequests(dialog));
    return early;
  }
}

/** What the callee may ask before the answer: OPTIONS, and UPDATE without a new offer. */
class EarlyRequests implements DialogUser {
  readonly #dialog: Dialog;

  constructor(dialog: Dialog) {
    this.#dialog = dialog;
  }

  ack(): void {}

  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (!this.#dialog.acceptSequence(request.cseq.number)) return void transaction.reply(500, 'Sequence Out of Order');
    if (request.method === 'UPDATE') this.#dialog.refresh(request);
    // A re-INVITE here has overtaken the answer: the callee tries it again.
    if (request.method === 'INVITE') return void transaction.reply(491);
    if (request.body.length > 0) return void transaction.reply(request.method === 'UPDATE' ? 491 : 481);
    const response = transaction.makeResponse(request.method === 'OPTIONS' || request.method === 'UPDATE' ? 200 : 481);
    describeAgent(response, this.#dialog.contact);
    transaction.respond(response);
  }
}
