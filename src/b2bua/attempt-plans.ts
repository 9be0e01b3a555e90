/** The ways to dial one attempt that are left, redirections among them, and the Call-ID of each of its legs. */
import type { SipResponse } from '../sip/message/message.ts';
import type { DialPlan } from './dial-plan.ts';
import { redirected } from './redirect.ts';
import type { TargetFinder } from './targets.ts';

export class AttemptPlans {
  readonly #left: DialPlan[];
  #legs = 0;
  #redirects = 0;

  constructor(plans: readonly DialPlan[]) {
    this.#left = [...plans];
  }

  next(): DialPlan | undefined {
    return this.#left.shift();
  }

  /** The first leg has the attempt's own Call-ID. */
  nextCallId(own: string): string {
    return this.#legs++ === 0 ? own : `${this.#legs}.${own}`;
  }

  /** Whether another plan follows this response: where a redirection leads to, as far as the plan allows, or the next one. */
  follows(plan: DialPlan, response: SipResponse, targets: TargetFinder): boolean {
    const { status } = response;
    if (status >= 300 && status < 400 && this.#redirects < plan.mostRedirects) {
      const next = redirected(plan, response, targets);
      if (next !== null) {
        this.#redirects++;
        this.#left.unshift(next);
      }
    }
    return this.#left.length > 0 && (status < 400 || plan.triesNext(status));
  }
}
