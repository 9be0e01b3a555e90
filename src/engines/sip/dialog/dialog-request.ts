/** One request within a dialog and its final response; a digest challenge on the way is answered. */
import { type Account, authorize } from '../digest/client.ts';
import type { SipResponse } from '../message/message.ts';
import type { ClientTransaction, ClientUser } from '../transaction/client-transaction.ts';
import { type Agent, addExtra, type Extra } from './agent.ts';
import type { Dialog } from './dialog.ts';

/** Called once with the final response; null when there was none (timeout or transport failure). */
export type Finished = (response: SipResponse | null, sequence: number) => void;

interface DialogRequestOptions {
  agent: Agent;
  dialog: Dialog;
  method: string;
  extra: Extra;
  account: Account | null;
  finished: Finished;
  /** Further 2xx of an INVITE. */
  repeated?: (response: SipResponse) => void;
}

export class DialogRequest implements ClientUser {
  readonly #options: DialogRequestOptions;
  #isFinished = false;
  #dialogHasEnded = false;
  #transaction: ClientTransaction | null = null;

  constructor(options: DialogRequestOptions) {
    this.#options = options;
  }

  send(challenge: { response: SipResponse; previous: ClientTransaction } | null = null): void {
    const { agent, dialog, method, extra, account } = this.#options;
    const request = dialog.createRequest(method);
    addExtra(request, extra);
    if (challenge && account) {
      for (const name of ['Authorization', 'Proxy-Authorization'])
        request.headers.copy(challenge.previous.request.headers, name);
      if (!authorize(request, challenge.response, account, agent.ids))
        return void this.#finish(challenge.response, dialog.localSequence);
    }
    this.#transaction = agent.transactions.send(request, agent.targetOf(dialog), this);
  }

  /**
   * The dialog has ended: an INVITE that still waits for its final response does not wait longer than 64 × T1, and a
   * challenge is that response: the new INVITE that answers it would belong to no dialog and could be pending for ever.
   */
  expectFinal(): void {
    this.#dialogHasEnded = true;
    if (this.#transaction && !this.#isFinished) this.#options.agent.transactions.expectFinal(this.#transaction);
  }

  response(response: SipResponse, transaction: ClientTransaction): void {
    const { agent, dialog } = this.#options;
    dialog.heardAt = agent.timers.now();
    if (response.status < 200) return;
    if (this.#isFinished) return void this.#options.repeated?.(response);
    const challenged = response.status === 401 || response.status === 407;
    if (challenged && this.#options.account && !this.#dialogHasEnded)
      return void this.send({ response, previous: transaction });
    this.#finish(response, transaction.request.cseq.number);
  }

  failed(_cause: string, transaction: ClientTransaction): void {
    if (!this.#isFinished) this.#finish(null, transaction.request.cseq.number);
  }

  #finish(response: SipResponse | null, sequence: number): void {
    this.#isFinished = true;
    this.#options.finished(response, sequence);
  }
}
